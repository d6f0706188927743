// What each engine says in the same words.
extension TransportError {
  /// The end of a call that an engine has no time left to begin.
  static let overBeforeBegun = beforeSending(.timedOut, "over before it was begun")

  /// The end of a call that would be sent again on its own, and must not be.
  static let mustNotRunTwice = afterSending(
    .connectionClosedBeforeResponse,
    "the kept-alive connection ended, and the request must not run twice")

  /// The end of a call that was not sent before its engine was shut down.
  static let engineClosed = unavailable("the engine was shut down")
}

extension TransportError.Kind {
  /// Whether such a failure ends a call before its request could be sent.
  var isBeforeSending: Bool {
    switch self {
    case .hostNotFound, .connectionRefused, .connectFailed, .tlsFailed, .unsupportedURL: true
    default: false
    }
  }
}
