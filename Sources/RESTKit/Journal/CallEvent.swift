/// An event or a decision in a call.
public struct CallEvent: Sendable {
  // Cases with metrics are indirect: metrics are far larger than all other payloads, and would enlarge each
  // event.
  public enum Kind: Sendable {
    /// The request was built: its URL was joined, and the modifier ran.
    case built(RequestSummary)
    /// A request was sent. The attempts of a call are counted from 1.
    case sent(attempt: Int, cause: CallCause)
    /// The call joined another call's request that is in flight, and shares its response. This counts as an
    /// attempt.
    case joined(attempt: Int, cause: CallCause)
    /// A cache's decision about the request or its response, in words: `hit`, `miss: nothing stored`,
    /// `not stored: Vary: *`. `isAnswer` tells whether the stored response is the result, so that nothing is
    /// sent.
    case cache(String, isAnswer: Bool)
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
    /// The received part of a file is discarded for this reason, and the whole file is requested again.
    case beganAnew(because: String)
    /// The number of events that the log does not keep, and the number of sent requests among them.
    case omitted(events: Int, requests: Int)
    /// The body was decoded as a value of this type.
    case decoded(String)
    /// An attempt or the call failed, for this reason without any secret.
    case failed(String)
    /// The subscriber cancelled the call.
    case cancelled
    /// The call sends nothing more: its result or failure was passed on, or the subscriber cancelled.
    ///
    /// Stages that run later on another scheduler may still record events.
    case ended
  }

  /// The number of the call among the observed calls of its transport, from 1, or 0 if the transport is not
  /// observed.
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
