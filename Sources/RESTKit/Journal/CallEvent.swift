/// One thing that happened in a call, or was decided.
public struct CallEvent: Sendable {
  // What has metrics is indirect: they are many times as large as all else, and each event would be.
  public enum Kind: Sendable {
    /// The request was made: the URL was joined, the modifier ran.
    case built(RequestSummary)
    /// A request left, for the so-manyth time in this call: the first has number 1.
    case sent(attempt: Int, cause: CallCause)
    /// The same request of another call is under way, and its answer is this one's, too; it counts as an
    /// attempt of this call.
    case joined(attempt: Int, cause: CallCause)
    /// What a cache decided about the request or its answer, in words: `hit`, `miss: nothing stored`,
    /// `not stored: Vary: *`; and whether what is kept is the answer, so that nothing is sent.
    case cache(String, isAnswer: Bool)
    /// A whole response came, or the head of one that comes in pieces.
    indirect case received(status: Int, metrics: ExchangeMetrics?)
    /// The last byte came of a response in pieces.
    indirect case transferred(metrics: ExchangeMetrics?)
    /// The response led elsewhere; headers that are secret stayed behind.
    case redirected(to: RequestSummary, droppedHeaders: [String])
    /// The call waits for a refresh that runs already; refreshes of a session are counted from 1.
    case joinedRefresh(Int)
    /// The refresh brought a token.
    case refreshed(Int)
    /// The next attempt waits.
    case waiting(Duration, because: String, budget: Int?)
    /// The attempt failed in a way that may pass, and there is none after it: why not.
    case notRetried(because: String)
    /// What there was of a file is thrown away, and all of it comes anew: why.
    case beganAnew(because: String)
    /// So many events stood here that the log does not keep, requests that left among them.
    case omitted(events: Int, requests: Int)
    /// The body became a value of this type.
    case decoded(String)
    /// An attempt has no result, or the call: the reason, without a secret.
    case failed(String)
    /// Nobody wants the result any more.
    case cancelled
    /// Nothing more is sent: the result or the failure was handed on, or nobody wants one.
    ///
    /// Stages that run later, on another scheduler, may still record what they make of it.
    case ended
  }

  /// The number of the call among those that are observed on its transport, from 1; 0 where nobody
  /// observes.
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
