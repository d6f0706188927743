import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-15: violations are dropped and reported", .leakFree)
struct MisbehaviorTests {
  @Test("C-15: values after the end are dropped and reported", arguments: Stage.all)
  func valueAfterEnd(stage: Stage) {
    let (heard, rules) = play(stage) { source in
      source.send(1)
      source.send(completion: .finished, forgetting: false)
      source.send(2)
    }
    #expect(heard == ["1", "finished"])
    #expect(rules == [.valueAfterEnd])
  }

  @Test("C-15: values after a failure are dropped and reported", arguments: Stage.all)
  func valueAfterFailure(stage: Stage) {
    let (heard, rules) = play(stage) { source in
      source.send(completion: .failure(.first), forgetting: false)
      source.send(2)
    }
    #expect(heard == ["failure(StreamsFixtures.TestError.first)"])
    #expect(rules == [.valueAfterEnd])
  }

  @Test("C-15: a second end is dropped and reported", arguments: Stage.all)
  func secondEnd(stage: Stage) {
    let (heard, rules) = play(stage) { source in
      source.send(completion: .finished, forgetting: false)
      source.send(completion: .failure(.first), forgetting: false)
    }
    #expect(heard == ["finished"])
    #expect(rules == [.secondEnd])
  }

  @Test("C-15: a second subscription is cancelled and reported", arguments: Stage.all)
  func secondSubscription(stage: Stage) {
    let second = CountingSubscription()
    let (heard, rules) = play(stage) { source in
      source.sendSubscription(second)
      source.send(1)
      #expect(source.cancelCount == 0)
    }
    #expect(heard == ["1"])
    #expect(second.cancels.count == 1)
    #expect(second.requests.count == 0)
    #expect(rules == [.secondSubscription])
  }

  @Test(
    "C-15: after a cancel nothing is reported, because signals may be on their way",
    arguments: Stage.all)
  func afterCancel(stage: Stage) {
    let late = Box<AnySubscriber<Int, TestError>>()
    let reported = violations {
      let cancellable = stage(
        Handing {
          late.set($0)
          $0.receive(subscription: Subscriptions.empty)
        }
      )
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      cancellable.cancel()
      _ = late.value?.receive(1)
      late.value?.receive(completion: .finished)
    }
    late.set(nil)
    #expect(reported.map(\.rule) == [])
  }

  @Test("C-15: a value and an end before the subscription are reported without a trap")
  func beforeSubscription() {
    let heard = Recording<String>()
    let reported = violations {
      let sink = Subscribers.Sink<Int, TestError>(
        receiveCompletion: { _ in heard.add("end") }, receiveValue: { heard.add("\($0)") })
      _ = sink.receive(1)
      sink.receive(completion: .finished)
    }
    #expect(!heard.elements.contains("1"))
    #expect(reported.map(\.rule) == [.valueBeforeSubscription, .endBeforeSubscription])
  }

  @Test("C-15: signals after the end of flatMap's upstream are reported while children run")
  func upstreamFailsAfterEnd() {
    let source = TestPublisher<Int, TestError>()
    let child = PassthroughSubject<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>()
    let reported = violations {
      source.flatMap { _ in child }.subscribe(subscriber)
      source.send(1)
      source.send(completion: .finished, forgetting: false)
      source.send(completion: .failure(.first), forgetting: false)
      source.send(2)
      child.send(5)
      child.send(completion: .finished)
    }
    #expect(subscriber.kinds == ["subscription", "5", "finished"])
    #expect(reported.map(\.rule) == [.secondEnd, .valueAfterEnd])
  }

  @Test("C-15: signals after the end of a child of flatMap are reported while others run")
  func childFailsAfterEnd() {
    let child = TestPublisher<Int, TestError>()
    let other = PassthroughSubject<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>()
    let reported = violations {
      [child.eraseToAnyPublisher(), other.eraseToAnyPublisher()].publisher.flatMap { $0 }
        .subscribe(subscriber)
      child.send(1)
      child.send(completion: .finished, forgetting: false)
      child.send(2)
      child.send(completion: .failure(.first), forgetting: false)
      other.send(3)
      other.send(completion: .finished)
    }
    #expect(subscriber.kinds == ["subscription", "1", "3", "finished"])
    #expect(reported.map(\.rule) == [.valueAfterEnd, .secondEnd])
  }

  @Test("C-15: a second subscription of a child of flatMap is cancelled and reported")
  func childSubscribesTwice() {
    let child = TestPublisher<Int, TestError>()
    let second = CountingSubscription()
    let subscriber = TestSubscriber<Int, TestError>()
    let reported = violations {
      Just(0).flatMap { _ in child }.subscribe(subscriber)
      child.sendSubscription(second)
      child.send(1)
    }
    #expect(subscriber.values == [1])
    #expect(second.cancels.count == 1)
    #expect(reported.map(\.rule) == [.secondSubscription])
  }

  @Test("C-15: values beyond the demand of flatMap(maxPublishers: .max(1)) are reported")
  func moreThanDemanded() {
    let source = TestPublisher<Int, TestError>()
    let started = Tally()
    let reported = violations {
      source.flatMap(maxPublishers: .max(1)) { _ in
        started.add()
        return Empty<Int, TestError>(completeImmediately: false)
      }.subscribe(TestSubscriber<Int, TestError>())
      source.send(1)
      source.send(2)
    }
    #expect(started.count == 1)
    #expect(reported.map(\.rule) == [.moreThanDemanded])
  }

  /// Returns the signals that a sink after the stage received, and the rules reported as broken.
  private func play(
    _ stage: Stage, _ act: (TestPublisher<Int, TestError>) -> Void
  ) -> (heard: [String], rules: [ContractViolation.Rule]) {
    let heard = Recording<String>()
    let source = TestPublisher<Int, TestError>()
    let reported = violations {
      let cancellable = stage(source).sink(
        receiveCompletion: { heard.add("\($0)") }, receiveValue: { heard.add("\($0)") })
      act(source)
      withExtendedLifetime(cancellable) {}
    }
    source.send(completion: .finished)
    return (heard.elements, reported.map(\.rule))
  }
}
