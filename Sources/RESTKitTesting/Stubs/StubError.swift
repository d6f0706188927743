/// An error that lists deviations from the scripts.
///
/// ``StubTransport/verify()`` throws it. A call fails with it if no stub matches its request, or if its
/// stub is invalid.
public struct StubError: Error, Sendable, CustomStringConvertible {
  /// The failures, in the order in which they happened; never empty.
  public let failures: [StubFailure]
  /// Whether the test also reports the failures when it ends, at their lines.
  package let isReported: Bool

  init(failures: [StubFailure], isReported: Bool = false) {
    self.failures = failures
    self.isReported = isReported
  }

  /// The descriptions of the failures, or only their first lines if the test reports them, too.
  public var description: String {
    failures.map { failure in
      guard isReported else { return failure.description }
      return "\(failure.description.prefix { $0 != "\n" }) See the report at \(failure.location)."
    }
    .joined(separator: "\n")
  }
}
