import StreamsFixtures
import StreamsTesting
import Testing

@testable import Streams

@Suite("Values on their way that do not arrive", .leakFree)
struct HopQueueTests {
  @Test("Each block has twice the room of the previous one, up to 128 places")
  func blocks() {
    var block = HopBlock<Int>(capacity: 3)
    var sizes: [Int] = []
    for _ in 0..<8 {
      sizes.append(block.slots.count)
      block = block.makeNext()
    }
    #expect(sizes == [3, 6, 12, 24, 48, 96, 128, 128])
  }

  @Test("A closed word reports no values, end or delivery")
  func over() {
    let word = HopWord()
    _ = word.close()
    let left = word.close()
    #expect(left.isOver)
    #expect(!left.isDelivering && !left.hasEnd && left.values == 0)
  }

  @Test("C-7: a cancel from inside a value releases all values that wait behind it")
  func cancelInside() {
    let releases = Tally()
    let scheduler = TestScheduler()
    let source = PassthroughSubject<ReleaseProbe, Never>()
    let held = Box<AnyCancellable>()
    held.set(source.receive(on: scheduler).sink { _ in held.value?.cancel() })
    for _ in 0..<5 { source.send(ReleaseProbe { releases.add() }) }
    #expect(releases.count == 0)
    scheduler.run()
    #expect(releases.count == 5)
    held.set(nil)
  }

  @Test("C-7: a value and an end that arrive just after a cancel are released")
  func lateSignals() {
    let releases = Tally()
    let subscriber = TestSubscriber<ReleaseProbe, TestError>()
    let queue = HopQueue(downstream: subscriber, scheduler: TestScheduler())
    queue.receive(subscription: Subscriptions.empty)
    // A cancel on another thread comes as far as this, and the signals had passed the gate.
    _ = queue.word.close()
    _ = queue.receive(ReleaseProbe { releases.add() })
    #expect(releases.count == 1)
    queue.receive(completion: .failure(.first))
    #expect(queue.end == nil)
    queue.downstream = nil
  }

  private final class Fault: Error {}

  @Test("C-7: a cancel releases a waiting failure, even if the scheduler still holds its job")
  func waitingFailure() {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, Fault>()
    let subscriber = TestSubscriber<Int, Fault>()
    source.receive(on: scheduler).subscribe(subscriber)
    let released: Weak<Fault>
    do {
      let fault = Fault()
      released = Weak(fault)
      source.send(completion: .failure(fault))
    }
    #expect(!released.isReleased)
    subscriber.cancel()
    #expect(released.isReleased)
    scheduler.run()
    #expect(subscriber.completions.isEmpty)
  }
}
