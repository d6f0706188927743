import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-11: share(replay:): its timers", .leakFree)
struct ShareTimerTests {
  typealias Source = TestPublisher<Int, TestError>
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("A new subscriber makes an earlier timer void, even after leaving again")
  func earlierTimer() {
    let scheduler = TestScheduler()
    let source = Source()
    let shared = source.share(
      replay: 1,
      resetOnLastLeaving: .after(.seconds(1), scheduler: UnstoppableTimers(base: scheduler)))
    shared.recorded().cancel()
    scheduler.advance(by: .milliseconds(500))
    shared.recorded().cancel()
    scheduler.advance(by: .milliseconds(600))
    #expect(source.cancelCount == 0)
    scheduler.advance(by: .milliseconds(400))
    #expect(source.cancelCount == 1)
  }

  @Test("An end makes earlier timers void, even if they fire")
  func timersBeforeEnd() {
    let scheduler = TestScheduler()
    let source = Source()
    let shared = source.share(
      replay: 1, resetOnFinish: .never,
      resetOnLastLeaving: .after(.seconds(1), scheduler: UnstoppableTimers(base: scheduler)))
    shared.recorded().cancel()
    shared.recorded().cancel()
    source.send(7)
    source.send(completion: .finished)
    scheduler.advance(by: .seconds(2))
    #expect(shared.recorded().values == [7])
    #expect(source.subscriptionCount == 1)
  }

  @Test("A new subscriber cancels the timer, and so does the end")
  func takenBack() {
    let scheduler = TestScheduler()
    let source = Source()
    let shared = source.share(
      replay: 1, resetOnFinish: .never,
      resetOnLastLeaving: .after(.seconds(1), scheduler: scheduler))
    shared.recorded().cancel()
    #expect(scheduler.pendingCount == 1)
    let second = shared.recorded()
    #expect(scheduler.pendingCount == 0)
    second.cancel()
    #expect(scheduler.pendingCount == 1)
    source.send(completion: .finished)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A subscriber that arrives while the timer is being set cancels it, too")
  func meanwhile() {
    let source = Source()
    let shared = Box<IntStream>()
    let (first, second) = (Subscriber(), Subscriber())
    let timers = InterposingTimers { shared.value?.subscribe(second) }
    shared.set(
      source.share(replay: 1, resetOnLastLeaving: .after(.seconds(1), scheduler: timers)).any)
    shared.value?.subscribe(first)
    first.cancel()
    #expect(timers.timer.cancels.count == 1)
    #expect(source.cancelCount == 0)
    source.send(1)
    source.send(completion: .finished)
    #expect(second.kinds == ["subscription", "1", "finished"])
    shared.set(nil)
  }
}
