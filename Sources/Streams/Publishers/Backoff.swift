extension Publishers {
  /// The number of retries and the delays before them: exponential backoff with full jitter.
  ///
  /// The delay before retry n, counted from zero, is a random time from zero to base · 2ⁿ, but no
  /// more than the longest delay.
  public struct Backoff: Sendable, Hashable {
    /// The choice of a delay within its limit.
    public enum Jitter: Sendable, Hashable {
      /// A random time from zero to the limit.
      ///
      /// Clients that failed together therefore do not retry together.
      case full
      /// The limit itself.
      case none
    }

    /// The maximum number of retries after the first attempt.
    ///
    /// A number that is not positive means none.
    public var maxRetries: Int
    /// The limit of the first delay, which doubles with each retry.
    public var baseDelay: Duration
    /// The longest delay.
    public var maxDelay: Duration
    public var jitter: Jitter
    /// The total time for all attempts and delays, from the subscription on, or nil for no limit.
    ///
    /// A retry that cannot begin within this time is not made. The limit does not end a running
    /// attempt. Use a timeout for that.
    public var totalTime: Duration?
    /// Whether a value resets the number of retries, the delays and the total time.
    ///
    /// Use it for long-lived streams, in which a value means that the connection is back.
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

    /// Returns the limit of the delay before a retry.
    ///
    /// - Parameter retry: The number of the retry, counted from zero. Any number is allowed.
    public func delayLimit(forRetry retry: Int) -> Duration {
      let base = max(baseDelay, .zero).attoseconds
      let cap = max(maxDelay, .zero).attoseconds
      let doublings = max(retry, 0)
      guard base > 0 else { return .zero }
      // The highest bit is the sign, which counts as one of the leading zeros.
      guard doublings < base.leadingZeroBitCount else { return Duration(attoseconds: cap) }
      return Duration(attoseconds: min(base << doublings, cap))
    }

    /// Returns the delay before a retry.
    ///
    /// - Parameters:
    ///   - retry: The number of the retry, counted from zero. Any number is allowed.
    ///   - generator: The source of the jitter. Two of its numbers are used, whatever they are.
    public func delay(
      forRetry retry: Int, using generator: inout some RandomNumberGenerator
    ) -> Duration {
      let limit = delayLimit(forRetry: retry)
      switch jitter {
      case .none: return limit
      case .full:
        // The number is never drawn again. A random number in a range is drawn until no time is
        // preferred, which takes forever with a stuck generator. The preference here is less than
        // an attosecond.
        let draw: UInt128 = generator.next()
        let times = limit.attoseconds.magnitude + 1
        return Duration(attoseconds: Int128(draw.multipliedFullWidth(by: times).high))
      }
    }
  }
}
