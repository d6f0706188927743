import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("flatMap, switchToLatest, race, merge and zip: two threads meet", .leakFree)
struct FanInRaceTests {
  private let rounds = 300

  @Test("C-4: a cancel races with a child's values and end without overlap or a second end")
  func cancelAgainstChild() {
    let made = (0..<rounds).map { _ in
      let child = PassthroughSubject<Int, Never>()
      let subscriber = TestSubscriber<Int, Never>()
      Just(0).flatMap { _ in child }.subscribe(subscriber)
      return (child: child, subscriber: subscriber)
    }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 {
          for value in 0..<4 { made[round].child.send(value) }
          made[round].child.send(completion: .finished)
        } else {
          made[round].subscriber.cancel()
        }
      })
    for (child, subscriber) in made {
      let kinds = subscriber.kinds
      child.send(9)
      #expect(subscriber.kinds == kinds)
      #expect(subscriber.overlaps == 0)
      #expect(subscriber.completions.count <= 1)
      #expect(subscriber.values == Array(0..<subscriber.values.count))
    }
  }

  @Test("C-1: a request on one thread loses none of the values that another thread sends")
  func justsAgainstRequests() {
    let count = 3_000
    let justs = PassthroughSubject<Int, Never>()
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    justs.flatMap { Just($0) }.subscribe(subscriber)
    #expect(
      raceEnds(threads: 2) { _, thread in
        for value in 0..<count { thread == 0 ? justs.send(value) : subscriber.request(.max(1)) }
      })
    #expect(subscriber.values.count <= count)
    justs.send(completion: .finished)
    subscriber.request(.unlimited)
    #expect(subscriber.overlaps == 0)
    #expect(subscriber.isFinished)
    #expect(subscriber.values.sorted() == Array(0..<count))
  }

  @Test("C-1, C-2: two upstreams of zip that end at the same time deliver all rows and one end")
  func zipEnds() {
    let made = (0..<rounds).map { _ in
      let sources = (0..<2).map { _ in PassthroughSubject<Int, Never>() }
      let subscriber = TestSubscriber<Int, Never>()
      sources[0].zip(sources[1], +).subscribe(subscriber)
      return (sources: sources, subscriber: subscriber)
    }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        for value in 0..<3 { made[round].sources[thread].send(value) }
        made[round].sources[thread].send(completion: .finished)
      })
    for (_, subscriber) in made {
      #expect(subscriber.kinds == ["subscription", "0", "2", "4", "finished"])
      #expect(subscriber.overlaps == 0)
    }
  }

  @Test(
    "C-2: two upstreams of merge that fail and finish at the same time deliver the failure once")
  func mergeEnds() {
    let made = (0..<rounds).map { _ in
      let sources = (0..<2).map { _ in PassthroughSubject<Int, TestError>() }
      let subscriber = TestSubscriber<Int, TestError>()
      sources[0].merge(with: sources[1]).subscribe(subscriber)
      return (sources: sources, subscriber: subscriber)
    }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        made[round].sources[thread].send(
          completion: thread == 0 ? .finished : .failure(.second))
      })
    #expect(made.allSatisfy { $0.subscriber.kinds == ["subscription", "failure second"] })
  }

  @Test("Of two inputs that signal first at the same time one wins, and the other is silent")
  func race() {
    let made = (0..<rounds).map { _ in
      let sources = (0..<2).map { _ in PassthroughSubject<Int, Never>() }
      let subscriber = TestSubscriber<Int, Never>()
      sources[0].race(with: sources[1]).subscribe(subscriber)
      return (sources: sources, subscriber: subscriber)
    }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        for value in 0..<4 { made[round].sources[thread].send(value * 2 + thread) }
        made[round].sources[thread].send(completion: .finished)
      })
    for (_, subscriber) in made {
      #expect(subscriber.isFinished)
      #expect(subscriber.overlaps == 0)
      #expect([[0, 2, 4, 6], [1, 3, 5, 7]].contains(subscriber.values))
    }
  }

  @Test("Children that send during a switch on another thread deliver no value of an older child")
  func switching() {
    let count = 400
    let children = (0..<count).map { _ in PassthroughSubject<Int, Never>() }
    let source = PassthroughSubject<PassthroughSubject<Int, Never>, Never>()
    let subscriber = TestSubscriber<Int, Never>()
    source.switchToLatest().subscribe(subscriber)
    #expect(
      raceEnds(threads: 2) { _, thread in
        for (index, child) in children.enumerated() {
          if thread == 0 { source.send(child) } else { for _ in 0..<8 { child.send(index) } }
        }
      })
    children[count - 1].send(count)
    source.send(completion: .finished)
    for child in children { child.send(completion: .finished) }
    #expect(subscriber.overlaps == 0)
    #expect(subscriber.values == subscriber.values.sorted())
    #expect(subscriber.values.last == count)
    #expect(subscriber.isFinished)
  }
}
