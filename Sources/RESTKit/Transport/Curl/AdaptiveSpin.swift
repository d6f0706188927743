#if os(Linux)
  /// Says whether a thread that has nothing to do looks again for a moment before it sleeps (adaptive
  /// spinning).
  ///
  /// To wake a thread whose core has gone to sleep takes some 20 µs, as long as a server on the same
  /// machine takes to answer. So the thread stays awake for 100 µs at most while two things hold: calls
  /// come one after the other, since with several there is always something to do, and others need the
  /// core; and the wait before was short. A server far away and a client at rest cost no processor time.
  ///
  /// Looking in vain costs more than a wake-up, as where other programs have the cores that the server
  /// and the caller need. Each time that it was in vain, twice as many waits pass before the next try;
  /// a row of tries that were not halves them. The first costs one wait: on a quiet machine, too, the
  /// server is late now and then.
  struct AdaptiveSpin {
    private static let limit = Duration.microseconds(100)
    /// What a wait takes that would have been within the limit, but for the wake-up at its end.
    private static let shortWait = Duration.microseconds(130)
    /// Calls in a row that must have been alone.
    private static let minAlone = 8
    /// Tries in a row that must not have been in vain.
    private static let minUseful = 8
    /// Waits without a look after the first try in vain, and at most.
    private static let pauses = 1...1_024

    private var alone = 0
    private var begin: ContinuousClock.Instant?
    private var isWorthwhile = false
    /// Whether this wait has looked, and whether for the whole time.
    private var hasLooked = false
    private var isInVain = false
    private var useful = 0
    private var pause = 0
    private var waitsToPass = 0

    /// Notes that a call starts.
    mutating func noteCall(isAlone: Bool) {
      alone = isAlone ? min(alone + 1, Self.minAlone) : 0
    }

    /// Notes that there was something to do: a wait is over, if there was one.
    mutating func noteWork(now: @autoclosure () -> ContinuousClock.Instant = .now) {
      guard let begin = begin.take() else { return }
      isWorthwhile = now() - begin < Self.shortWait
      if waitsToPass > 0 { waitsToPass -= 1 }
      if hasLooked { learn() }
      hasLooked = false
      isInVain = false
    }

    /// Whether to look again; the wait begins when this is asked first.
    mutating func looksAgain(now: @autoclosure () -> ContinuousClock.Instant = .now) -> Bool {
      guard alone == Self.minAlone else { return false }
      let now = now()
      let begin = self.begin ?? now
      self.begin = begin
      guard isWorthwhile, waitsToPass == 0 else { return false }
      hasLooked = true
      isInVain = now - begin >= Self.limit
      return !isInVain
    }

    private mutating func learn() {
      guard isInVain else {
        useful += 1
        guard useful == Self.minUseful else { return }
        useful = 0
        pause = pause > Self.pauses.lowerBound ? pause / 2 : 0
        return
      }
      useful = 0
      pause = min(max(pause * 2, Self.pauses.lowerBound), Self.pauses.upperBound)
      waitsToPass = pause
    }
  }
#endif
