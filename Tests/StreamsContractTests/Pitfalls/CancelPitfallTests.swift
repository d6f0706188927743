import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Pitfalls of cancelling, demand and violations", .leakFree)
struct CancelPitfallTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("P-16: after a cancel from inside a value nothing arrives", arguments: Stage.all)
  func cancelInside(stage: Stage) {
    let source = PassthroughSubject<Int, TestError>()
    let subscriber = Subscriber { subscriber, value in
      if value == 2 { subscriber.cancel() }
      return .none
    }
    stage(source).subscribe(subscriber)
    for value in 1...4 { source.send(value) }
    source.send(completion: .finished)
    #expect(subscriber.kinds == ["subscription", "1", "2"])
  }

  @Test(
    "P-16: after a cancel from another thread at most one signal in flight arrives",
    arguments: Sharing.subjects)
  func cancelFromAfar(kind: Setup<Sharing.MakeSubject>) {
    let rounds = 300
    let subjects = (0..<rounds).map { _ in kind.make() }
    let subscribers = subjects.map { subject in
      let subscriber = Subscriber()
      subject.receive(subscriber: subscriber)
      return subscriber
    }
    let heardAtCancel = (0..<rounds).map { _ in Box<Int>() }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 {
          for value in 0..<20 { subjects[round].send(value) }
          subjects[round].send(completion: .finished)
        } else {
          subscribers[round].cancel()
          heardAtCancel[round].set(subscribers[round].signals.count)
        }
      })
    for (subscriber, heard) in zip(subscribers, heardAtCancel) {
      #expect(subscriber.signals.count <= (heard.value ?? 0) + 1)
    }
  }

  @Test("P-17: dropping the cancellable cancels, and keeping it does not")
  func dropping() {
    let source = TestPublisher<Int, TestError>()
    do {
      let cancellable = source.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      #expect(source.cancelCount == 0)
      withExtendedLifetime(cancellable) {}
    }
    #expect(source.cancelCount == 1)
  }

  @Test("P-17: two threads cancel while a third releases, 10⁴ times, with one cancel upstream")
  func threads() {
    let rounds = 10_000
    let cancels = (0..<rounds).map { _ in Tally() }
    let boxes = cancels.map { tally in Box(AnyCancellable { tally.add() }) }
    #expect(
      raceEnds(threads: 3, rounds: rounds) { round, thread in
        if thread < 2 { boxes[round].value?.cancel() } else { boxes[round].set(nil) }
      })
    #expect(cancels.allSatisfy { $0.count == 1 })
  }

  @Test("P-18: arithmetic of demand neither traps nor goes below none")
  func arithmetic() {
    typealias Demand = Subscribers.Demand
    #expect(Demand.max(1) - .max(2) == .none)
    #expect(Demand.max(1) - 5 == .none)
    #expect(Demand.max(.max) + .max(.max) >= .max(.max))
    #expect(Demand.unlimited - .max(3) == .unlimited)
    #expect(Demand.unlimited + .unlimited == .unlimited)
    #expect(Demand.max(.max) * .max >= .max(.max))
  }

  @Test(
    "P-18: a request for none does nothing, and a value without demand does not trap",
    arguments: Stage.all)
  func noDemand(stage: Stage) {
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber(demand: .none)
    stage(source).subscribe(subscriber)
    subscriber.request(.none)
    if stage.waitsForDemand { #expect(source.requests.reduce(.none, +) == .none) }
    source.send(1)
    source.send(completion: .finished)
    #expect(subscriber.completions.count <= 1)
    subscriber.cancel()
  }

  @Test("P-19: the error of a full buffer needs no demand")
  func bufferError() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber(demand: .none)
    source.buffer(size: 2, prefetch: .byRequest, whenFull: .customError { .third })
      .subscribe(subscriber)
    source.send(1)
    source.send(2)
    #expect(subscriber.completions.isEmpty)
    source.send(3)
    #expect(subscriber.kinds == ["subscription", "failure third"])
    #expect(source.cancelCount == 1)
  }

  @Test(
    "P-24: closures do not run while a chain is built, and each subscription runs its own",
    arguments: Stage.all.filter { $0.trigger == .value })
  func eagerAssembly(stage: Stage) {
    let calls = Tally()
    for source in [
      Just(1).setFailureType(to: TestError.self).any,
      [1].publisher.setFailureType(to: TestError.self).any,
      Optional(1).publisher.setFailureType(to: TestError.self).any,
      Result<Int, TestError>.success(1).publisher.any,
      Deferred { Just(1).setFailureType(to: TestError.self) }.any,
    ] {
      let before = calls.count
      let stream = stage(source, touch: { calls.add() })
      #expect(calls.count == before)
      _ = stream.played()
      let once = calls.count - before
      #expect(once > 0)
      if stage.name != "share" {
        _ = stream.played()
        #expect(calls.count == before + 2 * once)
      }
    }
  }

  @Test("P-24: a filter over an endless sequence is built at once")
  func endless() {
    let stream = (1...).publisher.filter { $0 > 5 }.map { $0 * 2 }.first()
    #expect(stream.played() == ["12", "finished"])
  }
}
