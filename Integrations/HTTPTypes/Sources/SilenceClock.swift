import Streams
import Synchronization

/// A clock that measures each wait for the server.
final class SilenceClock: Sendable {
  private struct State {
    var onLapse: (@Sendable () -> Void)?
    /// Whether the subscriber waits for the next event.
    var isAwaited = false
    /// Whether the client waits for the source of the request's body.
    var isPaused = false
    var isAnswered = false
    var alarm: (any Cancellable)?
    /// A number that tells the current alarm from canceled ones.
    var generation = 0

    var isCounting: Bool { onLapse != nil && isAwaited && (!isPaused || isAnswered) }
  }

  private let limit: Duration?
  private let scheduler: any Scheduler
  private let state = Mutex(State())

  /// - Parameter seconds: The time for each wait. There is no limit if the number is not positive,
  ///   not finite, or more than a thousand years.
  init(seconds: Double, on scheduler: any Scheduler) {
    let isLimit = seconds.isFinite && seconds > 0 && seconds < 3.2e10
    limit = isLimit ? max(.seconds(seconds), .milliseconds(1)) : nil
    self.scheduler = scheduler
  }

  /// - Parameter onLapse: A closure that runs on the scheduler when the time is over. It is kept
  ///   until the clock is stopped.
  func start(onLapse: @escaping @Sendable () -> Void) {
    change { $0.onLapse = onLapse }
  }

  /// Starts a new wait if the subscriber waits for the next event.
  func count(_ isAwaited: Bool) {
    change { $0.isAwaited = isAwaited }
  }

  func pause() {
    change { $0.isPaused = true }
  }

  func resume() {
    change { $0.isPaused = false }
  }

  /// Notes the response, after which a wait for the source of the request's body no longer pauses
  /// the clock.
  func noteResponse() {
    change { $0.isAnswered = true }
  }

  /// Stops the clock for good.
  func stop() {
    let released = state.withLock { $0.onLapse.take() }
    withExtendedLifetime(released) {}
    change { _ in }
  }

  private func change(_ change: (inout State) -> Void) {
    let (old, generation) = state.withLock { state -> ((any Cancellable)?, Int?) in
      change(&state)
      state.generation += 1
      return (state.alarm.take(), state.isCounting ? state.generation : nil)
    }
    old?.cancel()
    guard let limit, let generation else { return }
    let alarm = scheduler.schedule(after: limit) { [weak self] in self?.ring(generation) }
    let isLate = state.withLock { state in
      guard state.generation == generation else { return true }
      state.alarm = alarm
      return false
    }
    if isLate { alarm.cancel() }
  }

  private func ring(_ generation: Int) {
    let onLapse = state.withLock { state in
      state.generation == generation ? state.onLapse : nil
    }
    onLapse?()
  }
}
