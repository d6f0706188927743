import Streams
import StreamsFixtures
import StreamsTesting
import Synchronization
import Testing

@Suite("A relay follows one publisher after another by a rule", .leakFree)
struct RelayTests {
  typealias Source = TestPublisher<Int, any Error>
  typealias Downstream = TestSubscriber<Int, any Error>

  private func erased(_ source: Source) -> AnyPublisher<Int, any Error> {
    source.eraseToAnyPublisher()
  }

  @Test("The rule may change a value, and the end passes")
  func passes() {
    let source = Source()
    let downstream = Downstream()
    Relay(
      RelayLeg(
        erased(source),
        rule: Rule(onValue: {
          $0 *= 10; return nil
        }))
    )
    .subscribe(downstream)
    source.send(1)
    source.send(2)
    source.send(completion: .finished)
    #expect(downstream.values == [10, 20])
    #expect(downstream.isFinished)
    #expect(source.cancelCount == 0)
  }

  @Test("C-3: the successor receives the demand that is left")
  func demand() {
    let (first, second) = (Source(), Source())
    let downstream = Downstream(demand: .max(3))
    let last = RelayLeg(erased(second), rule: Rule())
    Relay(RelayLeg(erased(first), rule: Rule(onValue: { $0 == 0 ? last : nil })))
      .subscribe(downstream)
    first.send(1)
    first.send(0)
    #expect(first.cancelCount == 1)
    #expect(second.requests == [.max(2)])
    downstream.request(.max(1))
    #expect(second.requests == [.max(2), .max(1)])
    second.send(7)
    second.send(completion: .finished)
    #expect(downstream.values == [1, 7])
    #expect(downstream.isFinished)
  }

  @Test("The rule can replace a failure by a successor, and its error ends the stream")
  func failure() {
    let (first, second) = (Source(), Source())
    let downstream = Downstream()
    let last = RelayLeg(
      erased(second),
      rule: Rule(onValue: { _ in throw TestError.second }))
    Relay(RelayLeg(erased(first), rule: Rule(onEnd: { _ in last }))).subscribe(downstream)
    first.send(completion: .failure(TestError.first))
    #expect(downstream.failure == nil)
    second.send(1)
    #expect(downstream.failure as? TestError == .second)
    #expect(second.cancelCount == 1)
    #expect(first.cancelCount == 0)
  }

  @Test("C-15: violations of the followed publisher are dropped and reported")
  func contractViolations() {
    let source = Source()
    let downstream = Downstream()
    let second = CountingSubscription()
    let reported = violations {
      Relay(RelayLeg(erased(source), rule: Rule())).subscribe(downstream)
      source.sendSubscription(second)
      source.send(1)
      source.send(completion: .finished, forgetting: false)
      source.send(2)
    }
    #expect(downstream.values == [1])
    #expect(second.cancels.count == 1)
    #expect(reported.map(\.rule) == [.secondSubscription, .valueAfterEnd])
  }

  @Test("The end handler is called once, for the end or for a cancel")
  func end() {
    let ends = Lock<[String]>([])
    let note: RelayEndHandler = { end in
      ends.withLock {
        switch end {
        case .finished: $0.append("finished")
        case .failure: $0.append("failed")
        case nil: $0.append("cancelled")
        }
      }
    }
    let source = Source()
    let relay = Relay(RelayLeg(erased(source), rule: Rule()), onEnd: note)
    let finished = Downstream()
    relay.subscribe(finished)
    source.send(completion: .finished)
    finished.cancel()
    relay.sink(receiveCompletion: { _ in }, receiveValue: { _ in }).cancel()
    let failed = relay.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    source.send(completion: .failure(TestError.first))
    failed.cancel()
    #expect(ends.withLock { $0 } == ["finished", "cancelled", "failed"])
    #expect(source.cancelCount == 1)
  }

  @Test("A cancel from inside the rule is final")
  func cancelInside() {
    let (first, second) = (Source(), Source())
    let downstream = Downstream()
    let last = RelayLeg(erased(second), rule: Rule())
    Relay(
      RelayLeg(
        erased(first),
        rule: Rule(onValue: { _ in
          downstream.cancel()
          return last
        }))
    ).subscribe(downstream)
    first.send(1)
    #expect(downstream.values.isEmpty)
    #expect(first.cancelCount == 1)
    #expect(second.subscriptionCount == 0)
  }

  @Test("A leg's context takes precedence over the downstream's")
  func context() {
    let downstream = Downstream()
    let publisher = DeferredInContext { context in
      Just(context[LegKey.self]).setFailureType(to: (any Error).self)
    }
    let context = SubscriptionContext().setting(LegKey.self, to: 7)
    Relay(RelayLeg(publisher.eraseToAnyPublisher(), rule: Rule(), context: context))
      .context(LegKey.self, 1).subscribe(downstream)
    #expect(downstream.values == [7])
  }

  @Test("C-4: a cancel by the end handler suppresses the end")
  func cancelFromEnd() {
    for fails in [false, true] {
      let source = Source()
      let downstream = Downstream()
      Relay(
        RelayLeg(erased(source), rule: Rule()),
        onEnd: { [weak downstream] in if $0 != nil { downstream?.cancel() } }
      ).subscribe(downstream)
      source.send(completion: fails ? .failure(TestError.first) : .finished)
      #expect(downstream.completions.isEmpty)
    }
  }

  @Test("C-4, C-15: signals after a cancel are dropped and not reported")
  func turnAfterCancel() {
    let upstream = Box<AnySubscriber<Int, any Error>>()
    let next = Source()
    let downstream = Downstream()
    let asked = Tally()
    let late = CountingSubscription()
    let source = Holding(box: upstream).eraseToAnyPublisher()
    let rule = Rule(
      onValue: { _ in
        asked.add()
        return nil
      },
      onEnd: { [leg = RelayLeg(erased(next), rule: Rule())] _ in
        asked.add()
        return leg
      })
    let reported = violations {
      Relay(RelayLeg(source, rule: rule)).subscribe(downstream)
      _ = upstream.value?.receive(1)
      downstream.cancel()
      _ = upstream.value?.receive(2)
      upstream.value?.receive(subscription: late)
      upstream.value?.receive(completion: .finished)
    }
    upstream.set(nil)
    #expect(downstream.values == [1])
    #expect(downstream.completions.isEmpty)
    #expect(asked.count == 1)
    #expect(next.subscriptionCount == 0)
    #expect(late.cancels.count == 1)
    #expect(reported.isEmpty)
  }

  @Test("C-3: demand returned for a value counts for the successor")
  func grants() {
    let (first, second) = (Source(), Source())
    let downstream = Downstream(demand: .max(1)) { _, _ in .max(2) }
    let last = RelayLeg(erased(second), rule: Rule())
    Relay(RelayLeg(erased(first), rule: Rule(onEnd: { _ in last }))).subscribe(downstream)
    #expect(first.send(1) == .max(2))
    first.send(completion: .finished)
    #expect(second.requests == [.max(2)])
    second.send(completion: .finished)
    #expect(downstream.isFinished)
  }

  @Test("C-3: the publisher receives no request if there is no demand")
  func noDemand() {
    let source = Source()
    let downstream = Downstream(demand: .none)
    Relay(RelayLeg(erased(source), rule: Rule())).subscribe(downstream)
    #expect(source.subscriptionCount == 1)
    #expect(source.requests.isEmpty)
  }

  @Test("C-15: a second end of a relay's source is dropped and reported")
  func secondEnd() {
    let source = Source()
    let downstream = Downstream()
    let reported = violations {
      Relay(RelayLeg(erased(source), rule: Rule())).subscribe(downstream)
      source.send(completion: .finished, forgetting: false)
      source.send(completion: .finished)
    }
    #expect(downstream.completions.count == 1)
    #expect(reported.map(\.rule) == [.secondEnd])
  }

  @Test("C-4: a cancel at the subscription leaves the publisher unsubscribed and is reported once")
  func cancelAtOnce() {
    let source = Source()
    let cancels = Tally()
    Relay(RelayLeg(erased(source), rule: Rule()), onEnd: { if $0 == nil { cancels.add() } })
      .subscribe(
        AnySubscriber<Int, any Error>(
          receiveSubscription: { subscription in
            subscription.cancel()
            subscription.cancel()
          }, receiveValue: { _ in .none }, receiveCompletion: { _ in }))
    #expect(source.subscriptionCount == 0)
    #expect(cancels.count == 1)
  }

  @Test("C-4: a cancel from inside the rule for an end suppresses that end")
  func cancelInsideEnd() {
    let source = Source()
    let downstream = Downstream()
    Relay(
      RelayLeg(
        erased(source),
        rule: Rule(onEnd: { _ in
          downstream.cancel()
          return nil
        }))
    ).subscribe(downstream)
    source.send(completion: .finished)
    #expect(downstream.completions.isEmpty)
  }

  @Test(
    "C-7: the end and a cancel release the end handler, also if the subscription is kept",
    arguments: [true, false])
  func releasesEndHandler(isCancel: Bool) {
    let source = Source()
    let keeper = SubscriptionKeeper()
    weak var held: ReleaseProbe?
    do {
      let probe = ReleaseProbe()
      held = probe
      Relay(RelayLeg(erased(source), rule: Rule()), onEnd: { _ in probe.touch() })
        .subscribe(KeptSubscriber<Int, any Error>(keeper: keeper))
    }
    #expect(held != nil)
    if isCancel { keeper.subscription?.cancel() } else { source.send(completion: .finished) }
    #expect(held == nil)
    keeper.keep(Subscriptions.empty)
  }

  @Test("C-5: any number of publishers that end at once need constant stack")
  func depth() {
    let count = Atomic<Int>(0)
    let fail = Fail<Int, any Error>(error: TestError.first).eraseToAnyPublisher()
    @Sendable func leg() -> RelayLeg<Rule> {
      RelayLeg(
        fail,
        rule: Rule(onEnd: { _ in
          count.add(1, ordering: .relaxed).newValue < 100_000 ? leg() : nil
        }))
    }
    let downstream = Downstream()
    Relay(leg()).subscribe(downstream)
    #expect(downstream.failure as? TestError == .first)
    #expect(count.load(ordering: .relaxed) == 100_000)
  }
}

private struct Rule: RelayRule {
  var onValue: @Sendable (inout Int) throws -> RelayLeg<Rule>? = { _ in nil }
  var onEnd: @Sendable (Subscribers.Completion<any Error>) throws -> RelayLeg<Rule>? = { _ in nil }

  func successor(of value: inout Int) throws -> RelayLeg<Rule>? { try onValue(&value) }

  func successor(
    after end: Subscribers.Completion<any Error>
  ) throws -> RelayLeg<Rule>? { try onEnd(end) }
}

private enum LegKey: SubscriptionContextKey {
  static var defaultValue: Int { 0 }
}

/// Puts its subscriber into a box, for a test to call as it likes.
private struct Holding: Publisher {
  typealias Output = Int
  typealias Failure = any Error

  let box: Box<AnySubscriber<Int, any Error>>

  func receive(subscriber: some Subscriber<Int, any Error>) {
    box.set(AnySubscriber(subscriber))
    subscriber.receive(subscription: Subscriptions.empty)
  }
}
