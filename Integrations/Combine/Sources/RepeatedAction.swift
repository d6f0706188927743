import Streams
import Synchronization

/// Work that runs repeatedly on a scheduler of Streams, at multiples of an interval after its
/// start.
///
/// Times that have already passed, for example while the machine slept, are skipped.
final class RepeatedAction: Sendable {
  private struct State {
    /// Nil after a cancel.
    var action: CombineAction?
    /// The wait for the next run, and the time of that run.
    var wait: (due: Duration, work: any Streams.Cancellable)?
    /// The time of the run whose wait is being given to the scheduler.
    var arming: Duration?
  }

  private let interval: Duration
  private let scheduler: any Streams.Scheduler
  private let state: Mutex<State>

  init(_ action: CombineAction, every interval: Duration, on scheduler: any Streams.Scheduler) {
    // Without a pause, the runs would block all other work of the scheduler.
    self.interval = max(interval, .nanoseconds(1))
    self.scheduler = scheduler
    state = Mutex(State(action: action))
  }

  func start(at due: Duration) {
    arm(due, isFirst: true)
  }

  private func arm(_ due: Duration, isFirst: Bool) {
    state.withLock { $0.arming = due }
    let work = scheduler.schedule(after: due.saturatingSubtracting(scheduler.now)) { [self] in
      run(due: due, isFirst: isFirst)
    }
    // The previous wait is released without the lock, since its release may run code of the
    // scheduler.
    let (isLate, past) = state.withLock { state -> (Bool, (any Streams.Cancellable)?) in
      if state.arming == due { state.arming = nil }
      guard state.action != nil, due >= (state.wait?.due ?? due) else { return (true, nil) }
      let past = state.wait?.work
      state.wait = (due, work)
      return (false, past)
    }
    withExtendedLifetime(past) {}
    if isLate { work.cancel() }
  }

  private func run(due: Duration, isFirst: Bool) {
    let (action, isArming) = state.withLock { ($0.action, $0.arming == due) }
    // A run before its time, from inside the call that schedules it, means that the scheduler does
    // not wait.
    let isWaiting = !isArming || scheduler.now >= due
    guard let action, isWaiting || isFirst else { return }
    action.run()
    if isWaiting { arm(next(after: due), isFirst: false) }
  }

  /// Returns the next time that has not passed.
  private func next(after due: Duration) -> Duration {
    let late = scheduler.now.saturatingSubtracting(due)
    guard late > interval else { return due.saturatingAdding(interval) }
    let passed = Duration(attoseconds: late.attoseconds % interval.attoseconds)
    let whole = due.saturatingAdding(late - passed)
    return passed == .zero ? whole : whole.saturatingAdding(interval)
  }

  func cancel() {
    let (action, wait) = state.withLock { ($0.action.take(), $0.wait.take()) }
    wait?.work.cancel()
    withExtendedLifetime(action) {}
  }
}
