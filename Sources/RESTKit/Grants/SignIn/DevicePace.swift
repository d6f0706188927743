/// The rate at which a device polls (RFC 8628 §3.5).
struct DevicePace: Sendable {
  /// The time until the next poll.
  private(set) var interval: Duration

  /// The longest time between two polls that failures alone can cause.
  static let longestAfterFailures = Duration.seconds(60)
  /// The time that a `slow_down` adds.
  static let step = Duration.seconds(5)

  init(interval: Duration) {
    self.interval = interval
  }

  /// Adjusts the interval after a poll failed.
  ///
  /// - Returns: Whether to poll again.
  mutating func goesOn(after error: any Error) -> Bool {
    switch error {
    case SignInError.refused(let refusal):
      if refusal.code == "slow_down" { interval += Self.step }
      return refusal.code == "authorization_pending" || refusal.code == "slow_down"
    case let error as RESTError where Self.isPassing(error):
      let doubled = max(interval, min(interval * 2, Self.longestAfterFailures))
      interval = max(doubled, error.response?.headers.retryAfter() ?? .zero)
      return true
    default:
      return false
    }
  }

  private static func isPassing(_ error: RESTError) -> Bool {
    switch error.kind {
    case .transport(let kind): isPassing(kind)
    case .status(let code): code == 408 || code == 429 || code >= 500
    default: false
    }
  }

  private static func isPassing(_ kind: TransportError.Kind) -> Bool {
    switch kind {
    case .hostNotFound, .connectionRefused, .connectFailed, .connectionClosedBeforeResponse,
      .connectionReset, .bodyCut, .timedOut, .sendFailed:
      true
    default:
      false
    }
  }
}
