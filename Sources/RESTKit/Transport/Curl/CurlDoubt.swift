#if os(Linux)
  /// A rule for the longest silence before libcurl must check each of its calls.
  ///
  /// When driven by sockets and its timer, some releases forget calls over TLS or HTTP/2: 7.87 while it
  /// connects (curl issue 10146), and 8.6 at their end (12971). A check of all calls finds the forgotten
  /// ones.
  struct CurlDoubt {
    /// The first and the longest wait, in milliseconds.
    private static let bounds: ClosedRange<Int32> = 4...512

    /// The longest wait, in milliseconds.
    private(set) var milliseconds = bounds.lowerBound

    /// The time of libcurl's last check of all calls.
    private var looked: ContinuousClock.Instant?

    /// Notes the end of a wait, and returns whether to check all calls now.
    ///
    /// If other calls keep all waits short, a forgotten call is checked nevertheless.
    mutating func note(_ waited: Duration, now: ContinuousClock.Instant) -> Bool {
      let last = looked ?? now
      let isOver = waited >= .milliseconds(milliseconds)
      let looks = isOver || now - last >= .milliseconds(Self.bounds.upperBound)
      milliseconds = isOver ? min(milliseconds * 2, Self.bounds.upperBound) : Self.bounds.lowerBound
      looked = looks ? now : last
      return looks
    }
  }
#endif
