/// The end of a body that arrives in pieces.
public enum BodyEnd: Sendable, Hashable, CaseIterable {
  /// The body ends as its framing says.
  case complete
  /// The connection is closed before the end of the body.
  case cut
  /// The connection is reset before the end of the body.
  case reset
  /// The server falls silent, until the client gives up or the server stops.
  case silence
}
