#if os(Linux)
  internal import CCurl
  import Dispatch
  import Foundation
  import Streams
  import Synchronization

  /// The threads of one engine: one leads, one watches, and the others are where users hold them up.
  ///
  /// Before anything is delivered there is one. A thread that nobody needs ends after some seconds, and
  /// none wakes while nothing is delivered.
  final class CurlCrew: Sendable {
    /// What the threads are there for.
    struct Duty: Sendable {
      /// Leads; false once the lead is lost, true at the end of all.
      let lead: @Sendable () -> Bool
      /// Told on a thread that is back from a user, where one was wanted meanwhile.
      let welcome: @Sendable () -> Void
    }

    private enum Role {
      case leader
      case watcher
      case spare
    }

    private struct State {
      /// Nil at the end of all.
      var duty: Duty?
      var ranks: CrewRanks
    }

    /// The microseconds between two looks: a delivery is left behind after one to two of these.
    private static let interval: UInt32 = 1_000
    private static let spareTime = DispatchTimeInterval.seconds(5)

    private let limit: Int
    private let warn: @Sendable (String) -> Void
    private let word = Atomic(Leadership().word)
    private let state: Lock<State>
    private let watcherBell = DispatchSemaphore(value: 0)
    private let spareBell = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - limit: The most threads; one of them is not held up by users. At least 2.
    ///   - warn: Told once that all others are, and what helps.
    init(limit: Int, warn: @escaping @Sendable (String) -> Void) {
      self.limit = max(2, limit)
      state = Lock(State(ranks: CrewRanks(limit: self.limit)))
      self.warn = warn
    }

    /// Starts a thread for an engine.
    static func startThread(_ work: @escaping @Sendable () -> Void) {
      let thread = Thread {
        // Foundation names a thread only if it has taken note of it by then.
        ccurl_name_thread("RESTKit.curl")
        ccurl_block_sigpipe()
        work()
      }
      // Completions run here, and a deep decode needs more than the 512 KiB a Thread may get.
      thread.stackSize = 8 << 20
      thread.start()
    }

    /// Leads on the calling thread, and does there what else is to be done, till the thread is not needed.
    func serve(_ duty: Duty) {
      state.withLock { $0.duty = duty }
      work(as: .leader, duty)
    }

    // MARK: For the leader

    /// Whether somebody takes the lead if what comes next takes long; calls somebody if need be.
    func isWatched() -> Bool {
      // Either there is a watcher, or the engine is no more.
      guard update({ $0.takeWatch() }) else { return true }
      let (call, duty) = state.withLock { ($0.ranks.call(), $0.duty) }
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

    /// Begins a delivery; its number.
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
          // The watcher was at the end of its time, and left since `isWatched()`.
          mayBeAlone = !isWatched()
        }
      }
    }

    /// Ends a delivery; false where another thread leads by now, and the caller must touch nothing of the
    /// engine's.
    func end(_ number: UInt64) -> Bool { update { $0.end(number) } }

    private var warning: String {
      "RESTKit: subscribers hold up \(limit - 1) threads of a CurlTransport, so its other answers wait. "
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

    /// Sends all threads home.
    private func dismiss() -> Role? {
      if update({ $0.close() }) { watcherBell.signal() }
      let (spare, released) = state.withLock { ($0.ranks.close(), $0.duty.take()) }
      withExtendedLifetime(released) {}
      for _ in 0..<spare { spareBell.signal() }
      return nil
    }

    /// Finds something to do for a thread that lost the lead.
    private func comeBack(_ duty: Duty) -> Role? {
      let isWatcher = update { $0.takeWatch() }
      let (isWanted, isOver) = state.withLock { state in
        (state.ranks.takeBack(isSpare: !isWatcher), state.ranks.isOver)
      }
      if isWanted { duty.welcome() }
      if isWatcher { return .watcher }
      return isOver ? nil : .spare
    }

    /// Watches until it is to lead; nil where nobody needs the thread any more.
    private func watch() -> Role? {
      var memory = Leadership.Memory()
      while true {
        // It looks rather than waits to be told: else each delivery would begin with a wake-up.
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

    /// Whether the watcher may go; otherwise it is being woken.
    private func leaveWatch() -> Bool {
      state.withLock { $0.ranks.leaveWatch() }
      if update({ $0.leaveWatch() }) { return true }
      state.withLock { $0.ranks.stay() }
      return false
    }

    /// Waits to be called; nil where nobody needs the thread any more.
    private func wait() -> Role? {
      if spareBell.wait(timeout: .now() + Self.spareTime) == .timedOut {
        if state.withLock({ $0.ranks.leave() }) { return nil }
        // The bell is about to ring.
        spareBell.wait()
      }
      return state.withLock { $0.ranks.isOver } ? nil : .watcher
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
