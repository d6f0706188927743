/// The cause of a request.
public enum CallCause: Sendable, Hashable {
  /// It is the call's first request.
  case first
  /// A retry policy sent it again.
  case retry
  /// It was sent again with a new token.
  case refresh
  /// A redirect led to it.
  case redirect
  /// A live stream had ended or broken, and continues with it.
  case reconnect
}
