import Streams
import StreamsCombine
import Synchronization
import Testing

@Suite("Repeated work of Combine on a scheduler of Streams that is late")
struct LateRepetitionTests {
  @Test(
    "Times that have passed unused are left out, and the work keeps to its grid",
    arguments: zip([0, 1_000, 1_500, 2_000, 10_250], [1_000, 0, 500, 0, 750]))
  func leftOut(late: Int, wait: Int) {
    let clock = LateClock()
    let combine = clock.combineScheduler
    let runs = Atomic<Int>(0)
    let repetition = combine.schedule(
      after: combine.now.advanced(by: .seconds(3)), interval: .seconds(1)
    ) { _ = runs.add(1, ordering: .relaxed) }
    #expect(clock.delay == Duration.seconds(3))
    clock.fire(at: Duration.seconds(3) + .milliseconds(late))
    #expect(runs.load(ordering: .relaxed) == 1)
    #expect(clock.delay == Duration.milliseconds(wait))
    repetition.cancel()
  }
}

/// A scheduler whose time is what it is set to, and whose wait is over when the test says so.
private final class LateClock: Streams.Scheduler {
  private struct State {
    var now = Duration.zero
    var delay: Duration?
    var action: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  var now: Duration { state.withLock { $0.now } }

  /// How long the last wait was to be.
  var delay: Duration? { state.withLock { $0.delay } }

  func fire(at now: Duration) {
    let action = state.withLock { state in
      state.now = now
      return state.action.take()
    }
    action?()
  }

  func schedule(_ action: @escaping @Sendable () -> Void) { action() }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Streams.Cancellable {
    state.withLock { state in
      state.delay = delay
      state.action = action
    }
    return Subscriptions.empty
  }
}
