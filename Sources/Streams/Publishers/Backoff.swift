extension Publishers {
  /// How often to try again, and how long to wait before: exponential backoff with full jitter.
  ///
  /// Before the retry number n, counted from zero, the wait is a random time between zero and
  /// base · 2ⁿ, but no more than the longest delay.
  public struct Backoff: Sendable, Hashable {
    /// What a wait is within its limit.
    public enum Jitter: Sendable, Hashable {
      /// A random time from zero to the limit, so that clients that failed together do not come
      /// back together.
      case full
      /// The limit itself.
      case none
    }

    /// How many times to try again, beyond the first; none if it is not positive.
    public var maxRetries: Int
    /// The limit of the first wait, which doubles with each retry.
    public var baseDelay: Duration
    /// The longest wait.
    public var maxDelay: Duration
    public var jitter: Jitter
    /// How long all attempts and waits may take together, from the subscription on; nil for ever.
    ///
    /// A retry that could not begin within it is not waited for. It ends no attempt that runs: for
    /// that there is a timeout.
    public var totalTime: Duration?
    /// Whether a value starts it all over: the count of retries, the waits, and the total time.
    ///
    /// For streams that live long, where a value means that the connection is back.
    public var resetsOnSuccess: Bool

    public init(
      maxRetries: Int = 3, baseDelay: Duration = .milliseconds(500),
      maxDelay: Duration = .seconds(20), jitter: Jitter = .full, totalTime: Duration? = nil,
      resetsOnSuccess: Bool = false
    ) {
      self.maxRetries = maxRetries
      self.baseDelay = baseDelay
      self.maxDelay = maxDelay
      self.jitter = jitter
      self.totalTime = totalTime
      self.resetsOnSuccess = resetsOnSuccess
    }

    /// The limit of the wait before a retry.
    ///
    /// - Parameter retry: Which retry, counted from zero; any number, however great.
    public func delayLimit(forRetry retry: Int) -> Duration {
      let base = max(baseDelay, .zero).attoseconds
      let cap = max(maxDelay, .zero).attoseconds
      let doublings = max(retry, 0)
      guard base > 0 else { return .zero }
      // The highest bit is the sign's, which is one of the leading zeros.
      guard doublings < base.leadingZeroBitCount else { return Duration(attoseconds: cap) }
      return Duration(attoseconds: min(base << doublings, cap))
    }

    /// The wait before a retry.
    ///
    /// - Parameters:
    ///   - retry: Which retry, counted from zero; any number, however great.
    ///   - generator: Where the jitter comes from; two numbers of it, whatever they are.
    public func delay(
      forRetry retry: Int, using generator: inout some RandomNumberGenerator
    ) -> Duration {
      let limit = delayLimit(forRetry: retry)
      switch jitter {
      case .none: return limit
      case .full:
        // Never drawn again: a random number in a range is drawn until it favors no time, which is for ever
        // with a generator that is stuck. What this favors is less than an attosecond.
        let draw: UInt128 = generator.next()
        let times = limit.attoseconds.magnitude + 1
        return Duration(attoseconds: Int128(draw.multipliedFullWidth(by: times).high))
      }
    }
  }
}
