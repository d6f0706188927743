import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("prefix(untilOutputFrom:), drop(untilOutputFrom:)", .leakFree)
struct UntilTests {
  let source = TestPublisher<Int, TestError>()
  let other = TestPublisher<String, TestError>()
  let subscriber = TestSubscriber<Int, TestError>()

  @Test("prefix(untilOutputFrom:) finishes with the other's first value and cancels the upstream")
  func prefix() {
    source.prefix(untilOutputFrom: other).subscribe(subscriber)
    #expect(source.requests == [.unlimited])
    #expect(other.requests == [.max(1)])
    source.send(1)
    other.send("go")
    #expect(subscriber.kinds == ["subscription", "1", "finished"])
    #expect(source.cancelCount == 1)
    #expect(other.cancelCount == 1)
  }

  @Test("prefix(untilOutputFrom:) continues if the other ends without a value")
  func prefixOtherEnds() {
    source.prefix(untilOutputFrom: other).subscribe(subscriber)
    other.send(completion: .failure(.third))
    source.send(1)
    source.send(completion: .failure(.second))
    #expect(subscriber.kinds == ["subscription", "1", "failure second"])
  }

  @Test(
    "prefix(untilOutputFrom:) ends with the upstream and cancels the other",
    arguments: [true, false])
  func prefixUpstreamEnds(isFailing: Bool) {
    source.prefix(untilOutputFrom: other).subscribe(subscriber)
    source.send(completion: isFailing ? .failure(.second) : .finished)
    #expect(subscriber.kinds == ["subscription", isFailing ? "failure second" : "finished"])
    #expect(other.cancelCount == 1)
    #expect(source.cancelCount == 0)
  }

  @Test("C-2: the subscription comes first if the other sends at once")
  func prefixAtOnce() {
    source.prefix(untilOutputFrom: Just("go")).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "finished"])
    #expect(source.cancelCount == 1)
    #expect(source.requests.isEmpty)
    let endless = (0...).publisher.prefix(untilOutputFrom: Just("go"))
    #expect(endless.played() == ["finished"])
  }

  @Test("C-4: no end follows a cancel that comes as the upstream is cancelled at once")
  func cancelAtOnce() {
    let subscriber = self.subscriber
    let source = TestPublisher<Int, TestError>()
    source.handleEvents(receiveCancel: { subscriber.cancel() })
      .prefix(untilOutputFrom: Just("go")).subscribe(subscriber)
    #expect(subscriber.completion == nil)
    #expect(source.cancelCount == 1)
  }

  @Test("C-1: an end from inside a value comes after that value")
  func endInsideValue() {
    let other = PassthroughSubject<Void, Never>()
    let depth = Recording<String>()
    let subscriber = TestSubscriber<Int, Never> { _, value in
      depth.add("in")
      if value == 2 { other.send(()) }
      depth.add("out")
      return .none
    }
    (1...1_000).publisher.prefix(untilOutputFrom: other).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1", "2", "finished"])
    #expect(subscriber.overlaps == 0)
  }

  @Test("drop(untilOutputFrom:) drops values until the other's first and requests others instead")
  func drop() {
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(1))
    source.drop(untilOutputFrom: other).subscribe(subscriber)
    #expect(source.send(1) == .max(1))
    other.send("go")
    #expect(other.cancelCount == 1)
    #expect(source.send(2) == .none)
    source.send(completion: .finished)
    #expect(subscriber.kinds == ["subscription", "2", "finished"])
  }

  @Test(
    "drop(untilOutputFrom:) ends with the other if the other sends no value",
    arguments: [true, false])
  func dropOtherEnds(isFailing: Bool) {
    source.drop(untilOutputFrom: other).subscribe(subscriber)
    other.send(completion: isFailing ? .failure(.third) : .finished)
    #expect(subscriber.kinds == ["subscription", isFailing ? "failure third" : "finished"])
    #expect(source.cancelCount == 1)
  }

  @Test("drop(untilOutputFrom:) ignores the other's end after its value")
  func dropOtherEndsLater() {
    [1, 2].publisher.setFailureType(to: TestError.self)
      .drop(untilOutputFrom: failing(0)).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1", "2", "finished"])
  }

  @Test("C-2: an immediate failure of the other follows the subscription")
  func dropAtOnce() {
    source.drop(untilOutputFrom: failing()).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "failure first"])
  }

  @Test("C-4: a cancel reaches both publishers once", arguments: [true, false])
  func cancel(isPrefix: Bool) {
    if isPrefix {
      source.prefix(untilOutputFrom: other).subscribe(subscriber)
    } else {
      source.drop(untilOutputFrom: other).subscribe(subscriber)
    }
    for _ in 1...2 { subscriber.cancel() }
    #expect(source.cancelCount == 1)
    #expect(other.cancelCount == 1)
    source.send(1)
    other.send("go")
    #expect(subscriber.kinds == ["subscription"])
  }

  @Test("C-15: a completion before the subscription is reported and passed on")
  func endBeforeSubscription() {
    let reported = violations {
      Handing { $0.receive(completion: .finished) }
        .prefix(untilOutputFrom: other).subscribe(subscriber)
    }
    #expect(reported.map(\.rule) == [.endBeforeSubscription])
    #expect(subscriber.isFinished)
  }

  @Test("C-1: an end that races with values comes once, without overlap or violation")
  func race() {
    let rounds = 300
    let subjects = (0..<rounds).map { _ in
      (values: PassthroughSubject<Int, Never>(), other: PassthroughSubject<Void, Never>())
    }
    let subscribers = subjects.map { subject in
      let subscriber = TestSubscriber<Int, Never>()
      subject.values.prefix(untilOutputFrom: subject.other).subscribe(subscriber)
      return subscriber
    }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 {
          for value in 0..<20 { subjects[round].values.send(value) }
        } else {
          subjects[round].other.send(())
        }
      })
    #expect(subscribers.allSatisfy { $0.completions.count == 1 && $0.overlaps == 0 })
    #expect(subscribers.allSatisfy { $0.kinds.last == "finished" })
    #expect(subscribers.allSatisfy { $0.values == Array(0..<$0.values.count) })
  }

  @Test("An end during the values' subscription cancels it, on any threads")
  func subscriptionRace() {
    let rounds = 2_000
    let parts = (0..<rounds).map { _ in
      (
        port: Box<AnySubscriber<Int, TestError>>(), other: PassthroughSubject<Void, Never>(),
        upstream: CountingSubscription()
      )
    }
    let subscribers = parts.map { part in
      let subscriber = TestSubscriber<Int, TestError>()
      Handing { part.port.set($0) }.prefix(untilOutputFrom: part.other).subscribe(subscriber)
      return subscriber
    }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 {
          parts[round].port.value?.receive(subscription: parts[round].upstream)
        } else {
          parts[round].other.send(())
        }
      })
    for part in parts { part.port.set(nil) }
    #expect(parts.allSatisfy { $0.upstream.cancels.count == 1 })
    #expect(subscribers.allSatisfy { $0.kinds == ["subscription", "finished"] })
  }
}
