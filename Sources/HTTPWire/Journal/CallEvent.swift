/// An event or a decision in a call.
public struct CallEvent: Sendable {
  // Cases with metrics are indirect: metrics are far larger than all other payloads, and would
  // enlarge each event.
  public enum Kind: Sendable {
    /// The request was built: its URL was joined, and the modifier ran.
    case built(RequestSummary)
    /// A request was sent. The attempts of a call are counted from 1.
    case sent(attempt: Int, cause: CallCause)
    /// The call joined another call's request that is in flight, and shares its response. This
    /// counts as an attempt.
    case joined(attempt: Int, cause: CallCause)
    /// A cache's decision about the request or its response, in words: `hit`, `miss: nothing
    /// stored`, `not stored: Vary: *`. `answersCall` tells whether the stored response is the
    /// result, so that nothing is sent.
    case cache(String, answersCall: Bool)
    /// A whole response arrived, or the head of a response in pieces.
    indirect case received(status: Int, metrics: ExchangeMetrics?)
    /// The last byte of a response in pieces arrived.
    indirect case transferred(metrics: ExchangeMetrics?)
    /// The response redirected the request. Secret header fields were dropped.
    case redirected(to: RequestSummary, droppedHeaders: [String])
    /// The call waits for a running refresh. The refreshes of a session are counted from 1.
    case joinedRefresh(Int)
    /// The refresh brought a token.
    case refreshed(Int)
    /// The next attempt waits for this time.
    case waiting(Duration, because: String, budget: Int?)
    /// The attempt failed temporarily, and is not repeated for this reason.
    case notRetried(because: String)
    /// The received part of a file is discarded for this reason, and the whole file is requested
    /// again.
    case beganAnew(because: String)
    /// The number of events that the log does not keep, and the number of sent requests among them.
    case omitted(events: Int, requests: Int)
    /// The body was decoded as a value of this type.
    case decoded(String)
    /// An attempt or the call failed, for this reason without any secret.
    case failed(String)
    /// The subscriber cancelled the call.
    case cancelled
    /// The call sends nothing more: its result or failure was passed on, or the subscriber
    /// cancelled.
    ///
    /// Stages that run later on another scheduler may still record events.
    case ended
  }

  /// The number of the call among the observed calls of its transport, from 1, or 0 if the
  /// transport is not observed.
  public let call: Int
  /// The time since the call began.
  public let time: Duration
  public let kind: Kind

  init(time: Duration, kind: Kind, call: Int) {
    self.time = time
    self.kind = kind
    self.call = call
  }
}

extension CallEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The event without its time, such as `sent, attempt 2, after a refresh`.
  public var description: String { words.printable }

  private var words: String {
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
