/// One thing that happened in a call, or was decided.
public struct CallEvent: Sendable {
  public enum Kind: Sendable {
    /// The request was made: the URL was joined, the modifier ran.
    case built(RequestSummary)
    /// A request left, for the so-manyth time in this call: the first has number 1.
    case sent(attempt: Int, cause: CallCause)
    /// A whole response came, or the head of one that comes in pieces.
    case received(status: Int, metrics: ExchangeMetrics?)
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
    /// The body became a value of this type.
    case decoded(String)
    /// There is no result: the reason, without a secret.
    case failed(String)
    /// Nobody wants the result any more.
    case cancelled
  }

  /// The time since the call began.
  public let time: Duration
  public let kind: Kind
}
