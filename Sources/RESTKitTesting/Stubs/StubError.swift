/// What did not go by the scripts: thrown by ``StubTransport/verify()``, and by a call that no stub
/// was waiting for, or whose stub no server could give.
public struct StubError: Error, Sendable, CustomStringConvertible {
  /// In the order in which they came to pass; never empty.
  public let failures: [StubFailure]

  public var description: String {
    failures.map(\.description).joined(separator: "\n")
  }
}
