import Streams
import StreamsTesting
import Testing

@Suite("C-5: constant stack", .leakFree)
struct ConstantStackTests {
  @Test("C-5: very many values pass through each operator", arguments: Stage.all)
  func values(stage: Stage) {
    let seen = Tally()
    let ends = Tally()
    #expect(
      runsOnSmallStack {
        let source = (0..<manyTimes).publisher.setFailureType(to: TestError.self)
        let cancellable = stage(source).sink(
          receiveCompletion: { _ in ends.add() }, receiveValue: { _ in seen.add() })
        cancellable.cancel()
      })
    #expect(seen.count == manyTimes)
    #expect(ends.count == 1)
  }

  @Test(
    "C-5: a request for one from inside each value does not nest",
    arguments: Stage.all.filter { $0.name != "share" })
  func requestForOne(stage: Stage) {
    let counter = RequestingSubscriber()
    #expect(
      runsOnSmallStack {
        stage((0..<manyTimes).publisher.setFailureType(to: TestError.self)).subscribe(counter)
      })
    #expect(counter.seen.count == manyTimes)
    #expect(counter.ends.count == 1)
    #expect(counter.deepest.count == 1)
  }

  @Test("C-5: very many retries of a source that fails at once")
  func retries() {
    let attempts = Tally()
    let ends = Recording<Subscribers.Completion<TestError>>()
    #expect(
      runsOnSmallStack {
        let source = Deferred {
          attempts.add()
          return Fail(outputType: Int.self, failure: TestError.first)
        }
        _ = source.retry(manyTimes).sink(
          receiveCompletion: { ends.add($0) }, receiveValue: { _ in })
      })
    #expect(attempts.count == manyTimes + 1)
    #expect(ends.elements == [.failure(.first)])
  }

  @Test("C-5: very many retries on an error, each after a chained publisher that ends at once")
  func retriesOn() {
    let attempts = Tally()
    let refreshes = Tally()
    let ends = Tally()
    #expect(
      runsOnSmallStack {
        let source = Deferred {
          attempts.add()
          return Fail(outputType: Int.self, failure: TestError.first)
        }
        let refresh = Deferred {
          refreshes.add()
          return Just("token")
        }
        _ = source.retryOn(.first, retries: manyTimes, chainedPublisher: refresh).sink(
          receiveCompletion: { _ in ends.add() }, receiveValue: { _ in })
      })
    #expect(attempts.count == manyTimes + 1)
    #expect(refreshes.count == manyTimes)
    #expect(ends.count == 1)
  }

  @Test(
    "C-5: very many children of flatMap",
    arguments: [Subscribers.Demand.unlimited, .max(1)], [1, 3])
  func children(maxPublishers: Subscribers.Demand, size: Int) {
    let seen = Tally()
    let ends = Tally()
    #expect(
      runsOnSmallStack {
        _ = (0..<manyTimes).publisher
          .flatMap(maxPublishers: maxPublishers) { ($0..<($0 + size)).publisher }
          .sink(receiveCompletion: { _ in ends.add() }, receiveValue: { _ in seen.add() })
      })
    #expect(seen.count == manyTimes * size)
    #expect(ends.count == 1)
  }

  @Test(
    "C-5: very many empty children of flatMap", arguments: [Subscribers.Demand.unlimited, .max(1)])
  func emptyChildren(maxPublishers: Subscribers.Demand) {
    let ends = Tally()
    #expect(
      runsOnSmallStack {
        _ = (0..<manyTimes).publisher
          .flatMap(maxPublishers: maxPublishers) { _ in Empty<Int, Never>() }
          .sink(receiveCompletion: { _ in ends.add() }, receiveValue: { _ in })
      })
    #expect(ends.count == 1)
  }

  @Test("C-5: very many nested sends of a subject")
  func nestedSends() {
    let seen = Tally()
    #expect(
      runsOnSmallStack {
        let subject = PassthroughSubject<Int, Never>()
        let cancellable = subject.sink { value in
          seen.add()
          if value < manyTimes { subject.send(value + 1) }
        }
        subject.send(1)
        cancellable.cancel()
      })
    #expect(seen.count == manyTimes)
  }

  @Test("C-5: very many nested sends of a subject with a current value")
  func nestedCurrentValues() {
    let seen = Tally()
    #expect(
      runsOnSmallStack {
        let subject = CurrentValueSubject<Int, Never>(1)
        let cancellable = subject.sink { value in
          seen.add()
          if value < manyTimes { subject.value = value + 1 }
        }
        cancellable.cancel()
      })
    #expect(seen.count == manyTimes)
  }

  @Test("C-5: very many nested sends through receive(on: .immediate)")
  func nestedHops() {
    let seen = Tally()
    #expect(
      runsOnSmallStack {
        let subject = PassthroughSubject<Int, Never>()
        let cancellable = subject.receive(on: .immediate).sink { value in
          seen.add()
          if value < manyTimes { subject.send(value + 1) }
        }
        subject.send(1)
        cancellable.cancel()
      })
    #expect(seen.count == manyTimes)
  }

  @Test("C-5: retries through share")
  func retriesThroughShare() {
    let attempts = Tally()
    #expect(
      runsOnSmallStack {
        let source = Deferred {
          attempts.add()
          return Fail(outputType: Int.self, failure: TestError.first)
        }
        _ = source.share().retry(manyTimes).sink(
          receiveCompletion: { _ in }, receiveValue: { _ in })
      })
    #expect(attempts.count == manyTimes + 1)
  }
}

/// Asks for one value at a time from inside each, and notes how deep the calls nest.
private final class RequestingSubscriber: Subscriber {
  let seen = Tally()
  let ends = Tally()
  let deepest = Depth()
  private let keeper = SubscriptionKeeper()

  func receive(subscription: any Subscription) {
    keeper.keep(subscription)
    subscription.request(.max(1))
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    deepest.enter()
    seen.add()
    keeper.subscription?.request(.max(1))
    deepest.leave()
    return .none
  }

  func receive(completion: Subscribers.Completion<TestError>) {
    ends.add()
  }
}
