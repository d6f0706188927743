import Streams
import Synchronization

/// Runs work again and again on a scheduler of Streams, at the times of a grid.
///
/// Times that have passed unused, as while the machine sleeps, are left out.
final class RepeatedAction: Sendable {
  private struct State {
    /// Nil once it is cancelled.
    var action: CombineAction?
    /// The wait for the next run, and when that is due.
    var wait: (due: Duration, work: any Streams.Cancellable)?
    /// When the run is due whose wait is being given to the scheduler.
    var arming: Duration?
  }

  private let interval: Duration
  private let scheduler: any Streams.Scheduler
  private let state: Mutex<State>

  init(_ action: CombineAction, every interval: Duration, on scheduler: any Streams.Scheduler) {
    // Without a length the runs would leave nobody else a turn.
    self.interval = max(interval, .nanoseconds(1))
    self.scheduler = scheduler
    state = Mutex(State(action: action))
  }

  func start(at due: Duration) {
    arm(due, isFirst: true)
  }

  private func arm(_ due: Duration, isFirst: Bool) {
    state.withLock { $0.arming = due }
    let work = scheduler.schedule(after: due - scheduler.now) { [self] in
      run(due: due, isFirst: isFirst)
    }
    // The wait before this one is let go of without the lock: it may run code of the scheduler.
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
    // Before its time, and from inside the call that schedules it: nothing waits here.
    let isWaiting = !isArming || scheduler.now >= due
    guard let action, isWaiting || isFirst else { return }
    action.run()
    if isWaiting { arm(next(after: due), isFirst: false) }
  }

  /// The first later time of the grid that is not over.
  private func next(after due: Duration) -> Duration {
    let late = (scheduler.now - due).attoseconds
    guard late > interval.attoseconds else { return due + interval }
    let passed = late % interval.attoseconds
    return due + Duration(attoseconds: passed == 0 ? late : late - passed + interval.attoseconds)
  }

  func cancel() {
    let (action, wait) = state.withLock { ($0.action.take(), $0.wait.take()) }
    wait?.work.cancel()
    withExtendedLifetime(action) {}
  }
}
