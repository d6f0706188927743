extension CallEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The event without its time, such as `sent, attempt 2, after a refresh`.
  public var description: String {
    switch kind {
    case .built(let request): "built \(request)"
    case .sent(let attempt, let cause): "sent, attempt \(attempt)\(cause.words)"
    case .joined(let attempt, let cause):
      "joined the same request of another call, attempt \(attempt)\(cause.words)"
    case .cache(let words, _): "cache: \(words)"
    case .received(let status, let metrics):
      "answered \(Self.words(status))\(Self.words(metrics))"
    case .transferred(let metrics): "body complete\(Self.words(metrics))"
    case .redirected(let request, let headers):
      "redirected to \(request)"
        + (headers.isEmpty ? "" : ", without \(headers.joined(separator: ", "))")
    case .joinedRefresh(let number): "waits for refresh \(number)"
    case .refreshed(let number): "refresh \(number) brought a token"
    case .waiting(let time, let reason, let budget):
      "waits \(time.shortText) because \(reason)" + (budget.map { ", budget \($0)" } ?? "")
    case .notRetried(let reason): "not sent again because \(reason)"
    case .beganAnew(let reason): "begins the file anew because \(reason)"
    case .omitted(let events, let requests):
      "\(events) events are left out here, with \(requests) requests that were sent"
    case .decoded(let type): "decoded as \(type)"
    case .failed(let reason): "failed because \(reason)"
    case .cancelled: "cancelled"
    case .ended: "ended"
    }
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror {
    Mirror(self, children: ["time": time, "description": description])
  }

  private static func words(_ status: Int) -> String {
    HTTPStatus.phrase(for: status).map { "\(status) \($0)" } ?? "\(status)"
  }

  private static func words(_ metrics: ExchangeMetrics?) -> String {
    metrics.map { " (\($0))" } ?? ""
  }
}

extension CallCause {
  fileprivate var words: String {
    switch self {
    case .first: ""
    case .retry: ", a retry"
    case .refresh: ", after a refresh"
    case .redirect: ", after a redirect"
    case .reconnect: ", to go on with the stream"
    }
  }
}
