import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Schedulers that run due work in any order", .leakFree)
struct SchedulerInterleavingTests {
  typealias Source = PassthroughSubject<Int, TestError>

  static let seeds: Range<UInt64> = 0..<300

  @Test("C-10: receive(on:) keeps the order, whatever order the scheduler runs its work in")
  func hops() throws {
    try TestScheduler.explore(seeds: Self.seeds) { scheduler in
      let sources = (0..<3).map { _ in Source() }
      let subscribers = (0..<3).map { _ in TestSubscriber<Int, TestError>(demand: .max(3)) }
      for (source, subscriber) in zip(sources, subscribers) {
        source.receive(on: scheduler).map { $0 + 1 }.receive(on: scheduler).subscribe(subscriber)
      }
      for value in 0..<4 {
        for source in sources {
          // Sent from the scheduler, too, so that values, requests and deliveries are permuted.
          scheduler.schedule { source.send(value) }
        }
        if value.isMultiple(of: 2) { scheduler.advance() }
      }
      scheduler.schedule { subscribers[0].request(.unlimited) }
      scheduler.schedule { sources[1].send(completion: .failure(.first)) }
      scheduler.schedule { subscribers[2].cancel() }
      scheduler.run()
      sources[0].send(completion: .finished)
      scheduler.run()
      for subscriber in subscribers {
        try #require(subscriber.overlaps == 0)
        try #require(subscriber.completions.count <= 1)
      }
      try #require(subscribers[0].values.count == Set(subscribers[0].values).count)
      try #require(subscribers[0].isFinished)
      try #require(subscribers[2].completions.isEmpty)
      try #require(subscribers[1].failure == .first)
    }
  }

  @Test("C-10: values sent in order all arrive in order, then the end")
  func burst() throws {
    try TestScheduler.explore(seeds: Self.seeds) { scheduler in
      let source = Source()
      let subscriber = TestSubscriber<Int, TestError>()
      source.receive(on: scheduler).receive(on: scheduler).subscribe(subscriber)
      for value in 0..<20 {
        source.send(value)
        if value.isMultiple(of: 3) { scheduler.advance() }
      }
      source.send(completion: .finished)
      scheduler.run()
      try #require(subscriber.values == Array(0..<20))
      try #require(subscriber.isFinished)
    }
  }

  @Test("P3: a cancel among queued work is final")
  func cancel() throws {
    try TestScheduler.explore(seeds: Self.seeds) { scheduler in
      let source = Source()
      let subscriber = TestSubscriber<Int, TestError>()
      source.receive(on: scheduler).subscribe(subscriber)
      let isCancelled = Box(false)
      let late = Tally()
      let heard = source.receive(on: scheduler).sink(
        receiveCompletion: { _ in if isCancelled.value == true { late.add() } },
        receiveValue: { _ in if isCancelled.value == true { late.add() } })
      for value in 0..<3 { scheduler.schedule { source.send(value) } }
      scheduler.schedule { source.send(completion: .finished) }
      scheduler.schedule {
        isCancelled.set(true)
        heard.cancel()
      }
      scheduler.run()
      try #require(late.count == 0)
      try #require(subscriber.isFinished)
    }
  }

  @Test("C-11: subscribers of share join and leave in any order, with one connection at a time")
  func share() throws {
    try TestScheduler.explore(seeds: Self.seeds) { scheduler in
      let source = TestPublisher<Int, TestError>()
      let shared = source.share()
      let subscribers = (0..<3).map { _ in TestSubscriber<Int, TestError>() }
      for subscriber in subscribers {
        scheduler.schedule {
          shared.subscribe(subscriber)
          scheduler.schedule { subscriber.cancel() }
        }
      }
      for value in 0..<4 { scheduler.schedule { source.send(value) } }
      scheduler.schedule {
        scheduler.schedule { source.send(completion: .finished) }
      }
      scheduler.run()
      try #require(source.subscriberCount == 0)
      for subscriber in subscribers {
        try #require(subscriber.values.count == Set(subscriber.values).count)
        try #require(subscriber.overlaps == 0)
        try #require(subscriber.completions.count <= 1)
        for other in subscribers {
          let common = Set(subscriber.values).intersection(other.values)
          try #require(
            subscriber.values.filter(common.contains) == other.values.filter(common.contains))
        }
      }
    }
  }
}
