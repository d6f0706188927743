/// What did not go by the scripts: thrown by ``StubTransport/verify()``, and by a call that no stub
/// was waiting for, or whose stub no server could give.
public struct StubError: Error, Sendable, CustomStringConvertible {
  /// In the order in which they came to pass; never empty.
  public let failures: [StubFailure]
  /// Whether the failures are reported when the test ends, at the lines that they belong to.
  package let isReported: Bool

  init(failures: [StubFailure], isReported: Bool = false) {
    self.failures = failures
    self.isReported = isReported
  }

  /// The descriptions of the failures; their first lines where the test reports them as well.
  public var description: String {
    failures.map { failure in
      guard isReported else { return failure.description }
      return "\(failure.description.prefix { $0 != "\n" }) See the report at \(failure.location)."
    }
    .joined(separator: "\n")
  }
}
