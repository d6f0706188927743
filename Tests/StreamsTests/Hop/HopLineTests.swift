import StreamsFixtures
import StreamsTesting
import Testing

@testable import Streams

@Suite("Values on their way to another context", .leakFree)
struct HopLineTests {
  @Test("Values come out in the order they went in, through blocks of any size")
  func order() {
    let block = HopBlock<Int>(capacity: 1)
    var inlet = HopInlet(block)
    var outlet = HopOutlet(block)
    var next = 0
    var values: [Int] = []
    for count in [1, 3, 0, 200, 7, 1_000] {
      for _ in 0..<count {
        inlet.append(next)
        next += 1
      }
      for _ in 0..<count { values.append(outlet.removeFirst()) }
    }
    #expect(values == Array(0..<next))
  }

  @Test("A value that was not counted is taken back, also at the start of a block")
  func takeBack() {
    let block = HopBlock<Int>(capacity: 2)
    var inlet = HopInlet(block)
    var outlet = HopOutlet(block)
    for value in 1...3 { inlet.append(value) }
    #expect(inlet.removeLast() == 3)
    inlet.append(4)
    #expect((1...3).map { _ in outlet.removeFirst() } == [1, 2, 4])
  }

  @Test("The atomic word returns its earlier state and counts nothing after its end")
  func word() {
    let word = HopWord()
    #expect(word.add(HopWord.Reading.value).isIdle)
    #expect(!word.add(HopWord.Reading.value).isIdle)
    #expect(word.begin().values == 2)
    #expect(word.add(HopWord.Reading.end).isDelivering)
    let left = word.stop(after: 1)
    #expect((left.values, left.hasEnd, left.isDelivering, left.isOver) == (1, true, false, false))
    #expect(!word.close().isOver)
    let over = word.add(HopWord.Reading.value)
    #expect((over.values, over.hasEnd, over.isOver) == (1, true, true))
    #expect(word.close().values == 1)
  }

  @Test("Every value is counted while another thread starts and stops deliveries")
  func countedInRace() {
    let shared = SharedWord()
    #expect(
      raceEnds(threads: 2, rounds: 200) { _, thread in
        for _ in 0..<1_000 {
          if thread == 0 {
            _ = shared.word.add(HopWord.Reading.value)
          } else {
            _ = shared.word.begin()
            _ = shared.word.stop(after: 0)
          }
        }
      })
    let counted = shared.word.close().values
    #expect(counted == 200_000)
  }

  private final class SharedWord: Sendable {
    let word = HopWord()
  }

  @Test("C-5, C-7: very many waiting values are released on a small stack")
  func manyWaiting() {
    let releases = Tally()
    let isReleased = Box(false)
    #expect(
      runsOnSmallStack(within: 60) {
        let scheduler = TestScheduler()
        let source = PassthroughSubject<ReleaseProbe, Never>()
        let held = source.receive(on: scheduler).sink { _ in }
        do {
          let probe = ReleaseProbe { releases.add() }
          for _ in 0..<manyTimes { source.send(probe) }
        }
        let before = releases.count
        held.cancel()
        isReleased.set(before == 0 && releases.count == 1)
        scheduler.run()
      })
    #expect(isReleased.value == true)
  }

  @Test("C-7: a scheduler that drops its job releases the waiting values")
  func droppedJob() {
    let releases = Tally()
    do {
      let source = PassthroughSubject<ReleaseProbe, Never>()
      source.receive(on: DroppingScheduler()).subscribe(Asking())
      for _ in 0..<10 { source.send(ReleaseProbe { releases.add() }) }
      #expect(releases.count == 0)
      source.send(completion: .finished)
    }
    #expect(releases.count == 10)
  }

  /// Asks for everything and keeps nothing.
  struct Asking: Subscriber {
    func receive(subscription: any Subscription) { subscription.request(.unlimited) }
    func receive(_ input: ReleaseProbe) -> Subscribers.Demand { .none }
    func receive(completion: Subscribers.Completion<Never>) {}
  }

  struct DroppingScheduler: Scheduler {
    var now: Duration { .zero }

    func schedule(_ action: @escaping @Sendable () -> Void) {}

    func schedule(
      after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
      Subscriptions.empty
    }
  }
}
