/// The side that ended a connection to a ``MockServer``.
public enum MockConnectionEnd: Sendable {
  /// The client closed, reset, or shut down its sending side.
  case client
  /// The server closed: a scripted fault, `Connection: close`, a bad request, or a stop.
  case server
}
