#if os(Linux)
  internal import CCurl
  import Dispatch
  import Foundation
  import Streams
  import Synchronization

  /// The threads of one engine.
  ///
  /// One leads, one watches, and subscribers may block the others.
  ///
  /// There is one thread before the first delivery. A thread that is not needed ends after some
  /// seconds, and no thread wakes while nothing is delivered.
  final class LeaderFollowerPool: Sendable {
    /// The work of the threads.
    struct Duty: Sendable {
      /// Leads the engine.
      ///
      /// It returns false once the lead is lost, and true at the end.
      let lead: @Sendable () -> Bool
      /// Runs on a thread that returns from a subscriber, if a thread was needed meanwhile.
      let welcome: @Sendable () -> Void
    }

    private enum Role {
      case leader
      case watcher
      case spare
    }

    private struct State {
      /// The work, or nil at the end.
      var duty: Duty?
      var size: PoolSize
    }

    /// The microseconds between two checks: the watcher takes over from a delivery after one to two
    /// of these.
    private static let interval: UInt32 = 1_000
    private static let spareTime = DispatchTimeInterval.seconds(5)

    private let limit: Int
    private let warn: @Sendable (String) -> Void
    private let word = Atomic(Leadership().word)
    private let state: Lock<State>
    private let watcherBell = DispatchSemaphore(value: 0)
    private let spareBell = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - limit: The maximum number of threads, at least 2. Subscribers may block all but one of
    ///     them; a delivery needs a thread that watches it.
    ///   - warn: Runs once with a warning and a remedy when subscribers block that many.
    init(limit: Int, warn: @escaping @Sendable (String) -> Void) {
      self.limit = max(2, limit)
      state = Lock(State(size: PoolSize(limit: self.limit)))
      self.warn = warn
    }

    /// Starts a thread for an engine.
    static func startThread(_ work: @escaping @Sendable () -> Void) {
      let thread = Thread {
        // Foundation sets a thread's name only if it already knows the thread.
        ccurl_name_thread("RESTKit.curl")
        ccurl_block_sigpipe()
        work()
      }
      // Completions run here, and a deep decode needs more than the default 512 KiB of a Thread.
      thread.stackSize = 8 << 20
      thread.start()
    }

    /// Leads on the calling thread, and does other work there until the thread is not needed.
    func serve(_ duty: Duty) {
      state.withLock { $0.duty = duty }
      work(as: .leader, duty)
    }

    // MARK: For the leader

    /// Returns whether another thread takes the lead if the next delivery takes long.
    ///
    /// It calls a thread if necessary.
    func isWatched() -> Bool {
      // Otherwise there is a watcher, or the engine has ended.
      guard update({ $0.takeWatch() }) else { return true }
      let (call, duty) = state.withLock { ($0.size.reinforce(), $0.duty) }
      switch call {
      case .ring:
        spareBell.signal()
      case .hire:
        guard let duty else { return true }
        Self.startThread { [self] in work(as: .watcher, duty) }
      case .nobody(let warns):
        update { $0.giveWatchBack() }
        if warns { warn(warning) }
        return false
      }
      return true
    }

    /// Begins a delivery and returns its number.
    func begin() -> UInt64 {
      var mayBeAlone = false
      while true {
        let (beginning, number) = update { ($0.begin(mayBeAlone: mayBeAlone), $0.number) }
        switch beginning {
        case .watched, .alone:
          return number
        case .wake:
          watcherBell.signal()
          return number
        case .refused:
          // The watcher's time had run out, and it left after `isWatched()`.
          mayBeAlone = !isWatched()
        }
      }
    }

    /// Ends a delivery.
    ///
    /// Returns false if another thread leads by now; the caller must not touch the engine then.
    func end(_ number: UInt64) -> Bool { update { $0.end(number) } }

    private var warning: String {
      "RESTKit: subscribers block \(limit - 1) threads of a CurlTransport, so its other responses wait. "
        + "Move the work to a scheduler with receive(on:), or give CurlTransport more deliveryThreads."
    }

    // MARK: The threads

    private func work(as first: Role, _ duty: Duty) {
      var role: Role? = first
      while let current = role {
        switch current {
        case .leader: role = duty.lead() ? dismiss() : comeBack(duty)
        case .watcher: role = watch()
        case .spare: role = wait()
        }
      }
    }

    /// Ends all threads.
    private func dismiss() -> Role? {
      if update({ $0.close() }) { watcherBell.signal() }
      let (spare, released) = state.withLock { ($0.size.close(), $0.duty.take()) }
      withExtendedLifetime(released) {}
      for _ in 0..<spare { spareBell.signal() }
      return nil
    }

    /// Returns the next role of a thread that lost the lead.
    private func comeBack(_ duty: Duty) -> Role? {
      let isWatcher = update { $0.takeWatch() }
      let (isWanted, isOver) = state.withLock { state in
        (state.size.takeBack(isSpare: !isWatcher), state.size.isOver)
      }
      if isWanted { duty.welcome() }
      if isWatcher { return .watcher }
      return isOver ? nil : .spare
    }

    /// Watches until this thread must lead.
    ///
    /// Returns nil if the thread is not needed any more.
    private func watch() -> Role? {
      var memory = Leadership.Memory()
      while true {
        // It polls instead of waiting for a signal: otherwise each delivery would begin with a
        // wake-up.
        usleep(Self.interval)
        let (look, now) = update { lead in
          var memory = memory
          return (lead.look(&memory), memory)
        }
        memory = now
        switch look {
        case .again: continue
        case .lead: return .leader
        case .leave: return nil
        case .lieDown:
          guard watcherBell.wait(timeout: .now() + Self.spareTime) == .timedOut else { continue }
          if leaveWatch() { return nil }
          // The bell is about to ring.
          watcherBell.wait()
        }
      }
    }

    /// Returns whether the watcher may leave.
    ///
    /// Otherwise it is being woken.
    private func leaveWatch() -> Bool {
      state.withLock { $0.size.leaveWatch() }
      if update({ $0.leaveWatch() }) { return true }
      state.withLock { $0.size.stay() }
      return false
    }

    /// Waits for a call.
    ///
    /// Returns nil if the thread is not needed any more.
    private func wait() -> Role? {
      if spareBell.wait(timeout: .now() + Self.spareTime) == .timedOut {
        if state.withLock({ $0.size.leave() }) { return nil }
        // The bell is about to ring.
        spareBell.wait()
      }
      return state.withLock { $0.size.isOver } ? nil : .watcher
    }

    @discardableResult
    private func update<Value>(_ change: (inout Leadership) -> Value) -> Value {
      var seen = word.load(ordering: .acquiring)
      while true {
        var lead = Leadership(word: seen)
        let value = change(&lead)
        if lead.word == seen { return value }
        let (isDone, original) = word.weakCompareExchange(
          expected: seen, desired: lead.word, successOrdering: .acquiringAndReleasing,
          failureOrdering: .acquiring)
        if isDone { return value }
        seen = original
      }
    }
  }
#endif
