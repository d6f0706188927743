// The faults that all engines report with the same words.
extension TransportError {
  /// The fault of a call whose time limit passes before an engine begins it.
  static let overBeforeBegun = beforeSending(.timedOut, "before the call began")

  /// The fault of a call that an engine would repeat by itself, but must not.
  static let mustNotRunTwice = afterSending(
    .connectionClosedBeforeResponse,
    "the kept-alive connection ended, and the request must not run twice")

  /// The fault of a call that was not sent before its engine was shut down.
  static let engineClosed = unavailable("the engine was shut down")
}

extension TransportError.Kind {
  /// Whether such a fault ends a call before its request could be sent.
  var isBeforeSending: Bool {
    switch self {
    case .hostNotFound, .connectionRefused, .connectFailed, .tlsFailed, .unsupportedURL: true
    default: false
    }
  }
}
