#if os(Linux)
  /// How long nothing may happen before libcurl is to look at each of its calls.
  ///
  /// Driven by sockets and its timer, some releases forget calls over TLS or HTTP/2: 7.87 while it connects
  /// (curl issue 10146), 8.6 at their end (12971). A look at all of them finds what was forgotten.
  struct CurlDoubt {
    /// Milliseconds: the first wait, and the longest.
    private static let bounds: ClosedRange<Int32> = 4...512

    /// The longest wait, in milliseconds.
    private(set) var milliseconds = bounds.lowerBound

    /// When libcurl looked at all last.
    private var looked: ContinuousClock.Instant?

    /// Notes a wait that is over; whether to look at all calls now.
    ///
    /// Other calls may be so busy that no wait is long; a forgotten one has its look all the same.
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
