#if os(Linux)
  /// A rule that decides whether an idle thread polls for a moment before it sleeps (adaptive
  /// spinning).
  ///
  /// Waking a thread whose core sleeps takes about 20 µs, as long as a server on the same machine
  /// takes to respond. The thread therefore polls for at most 100 µs while two conditions hold:
  /// calls come one at a time, and the previous wait was short. With several calls, there is always
  /// something to do, and others need the core. A distant server or an idle client thus costs no
  /// processor time.
  ///
  /// Polling in vain costs more than a wake-up, for example if other programs use the cores that
  /// the server and the caller need. Each time that it was in vain, the number of waits before the
  /// next try doubles. A series of useful tries halves the number. The first vain try costs only
  /// one wait, since even on a quiet machine the server is sometimes late.
  struct AdaptiveSpin {
    private static let limit = Duration.microseconds(100)
    /// The length of a wait that would have been within the limit without the wake-up at its end.
    private static let shortWait = Duration.microseconds(130)
    /// The number of consecutive calls that must have been alone.
    private static let minAlone = 8
    /// The number of consecutive tries that must have been useful.
    private static let minUseful = 8
    /// The number of waits without polling: after the first vain try, and at most.
    private static let pauses = 1...1_024

    private var alone = 0
    private var begin: ContinuousClock.Instant?
    private var isWorthwhile = false
    /// Whether the thread polled during this wait, and whether it did so for the whole limit.
    private var hasLooked = false
    private var isInVain = false
    private var useful = 0
    private var pause = 0
    private var waitsToPass = 0

    /// Notes that a call starts.
    mutating func noteCall(isAlone: Bool) {
      alone = isAlone ? min(alone + 1, Self.minAlone) : 0
    }

    /// Notes that there was something to do, which ends the wait.
    mutating func noteWork(now: @autoclosure () -> ContinuousClock.Instant = .now) {
      guard let begin = begin.take() else { return }
      isWorthwhile = now() - begin < Self.shortWait
      if waitsToPass > 0 { waitsToPass -= 1 }
      if hasLooked { learn() }
      hasLooked = false
      isInVain = false
    }

    /// Whether to poll again.
    ///
    /// The wait begins with the first question.
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
