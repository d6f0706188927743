/// How a body that comes in pieces ends.
public enum BodyEnd: Sendable, Hashable, CaseIterable {
  /// As its framing says.
  case complete
  /// The connection is closed before that.
  case cut
  /// The connection is reset before that.
  case reset
  /// Nothing more comes, until the client gives up or the server stops.
  case silence
}
