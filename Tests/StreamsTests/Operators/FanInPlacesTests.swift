import StreamsFixtures
import StreamsTesting
import Testing

@testable import Streams

@Suite("Several upstreams: their places and late signals", .leakFree)
struct FanInPlacesTests {
  typealias Source = TestPublisher<Int, TestError>
  typealias Subscriber = TestSubscriber<Int, TestError>
  typealias Build = @Sendable (IntStream, IntStream) -> IntStream
  private typealias Merging = FanInState<PassingSlot<Int>, Never>
  private typealias Zipping = FanInState<PairSlots<QueueCell<Int>, QueueCell<Int>>, Never>

  @Test("A new input takes the place of one that ended or was replaced")
  func places() {
    for rule in [FanInRule.all, .latest] {
      var state = Merging(rule: rule)
      for round in 0..<6 {
        let id = state.addInput()
        if rule == .latest, round.isMultiple(of: 2) {
          _ = state.removeOthers()
        } else {
          _ = state.removeInput(id.index)
        }
      }
      #expect(state.inputs.count == 1)
      #expect(state.running == 0)
    }
  }

  @Test("An input with a request is no longer idle")
  func idle() {
    var state = Merging(rule: .all)
    let id = state.addInput()
    state.inputs[id.index].phase = .open
    state.inputs[id.index].subscription = Subscriptions.empty
    let first = state.firstRequest(of: id)
    #expect(first == .none)
    #expect(state.idle.count == 1)
    var more = Subscribers.Demand.none
    let step = state.nextStep(own: nil, more: &more)
    if case .ask(let asked, let demand) = step {
      #expect(asked.count == 1)
      #expect(demand == .max(1))
    } else {
      Issue.record("Nobody is asked.")
    }
    #expect(state.idle.isEmpty)
  }

  @Test("C-3: zip: a late input gets no request of its own just before the request to all")
  func unasked() {
    var state = Zipping(rule: .fixed)
    state.isStarted = true
    let id = state.addInput()
    state.add(.max(3))
    let first = state.firstRequest(of: id)
    #expect(first == .none)
  }

  @Test("C-3: flatMap: a child is asked even if its predecessor in that place owed a value")
  func placeOfDebtor() {
    let source = TestPublisher<Int, Never>()
    let children = (0..<2).map { _ in TestPublisher<Int, Never>() }
    let subscriber = TestSubscriber<Int, Never>(demand: .max(3))
    source.flatMap { children[$0] }.subscribe(subscriber)
    source.send(0)
    #expect(children[0].requests == [.max(1)])
    children[0].send(completion: .finished)
    source.send(1)
    #expect(children[1].requests == [.max(1)])
    #expect(children[1].send(7) == .max(1))
    #expect(subscriber.values == [7])
  }

  @Test("C-15: flatMap: a late signal of an ended child does not count for its successor")
  func formerTenant() {
    let former = Box<AnySubscriber<Int, TestError>>()
    let first = Handing {
      former.set($0)
      $0.receive(subscription: Subscriptions.empty)
    }.any
    let source = Source()
    let second = Source()
    let subscriber = Subscriber()
    let reported = violations {
      source.flatMap { $0 == 0 ? first : second.any }.subscribe(subscriber)
      source.send(0)
      former.value?.receive(completion: .finished)
      source.send(1)
      _ = former.value?.receive(5)
      former.value?.receive(completion: .finished)
      second.send(6)
    }
    former.set(nil)
    #expect(subscriber.kinds == ["subscription", "6"])
    #expect(reported.map(\.rule) == [.valueAfterEnd, .secondEnd])
  }

  @Test(
    "C-15: flatMap: a second subscription after a cancel or failure is cancelled, unreported",
    arguments: [false, true])
  func lateOuter(fails: Bool) {
    let outer = Box<AnySubscriber<Int, TestError>>()
    let child = PassthroughSubject<Int, TestError>()
    let late = CountingSubscription()
    let subscriber = Subscriber()
    let source = Handing {
      outer.set($0)
      $0.receive(subscription: Subscriptions.empty)
    }
    let reported = violations {
      source.flatMap { _ in child }.subscribe(subscriber)
      _ = outer.value?.receive(1)
      if fails { child.send(completion: .failure(.first)) } else { subscriber.cancel() }
      outer.value?.receive(subscription: late)
    }
    outer.set(nil)
    #expect(late.cancels.count == 1)
    #expect(late.requests.count == 0)
    #expect(reported.isEmpty)
  }

  @Test("C-15: merge: signals after a cancel are not reported")
  func afterCancel() {
    let upstream = Box<AnySubscriber<Int, TestError>>()
    let late = CountingSubscription()
    let subscriber = Subscriber(demand: .max(1))
    let source = Handing {
      upstream.set($0)
      $0.receive(subscription: Subscriptions.empty)
    }
    let reported = violations {
      Publishers.MergeMany(source.any, Empty<Int, TestError>(completeImmediately: false).any)
        .subscribe(subscriber)
      subscriber.cancel()
      upstream.value?.receive(subscription: late)
      for value in 1...3 { _ = upstream.value?.receive(value) }
      upstream.value?.receive(completion: .finished)
      upstream.value?.receive(completion: .finished)
    }
    upstream.set(nil)
    #expect(subscriber.kinds == ["subscription"])
    #expect(late.cancels.count == 1)
    #expect(reported.isEmpty)
  }

  static let pairs: [Setup<Build>] = [
    Setup("zip") { $0.zip($1) { first, _ in first }.any },
    Setup("combineLatest") { $0.combineLatest($1) { first, _ in first }.any },
    Setup("withLatestFrom") { $0.withLatestFrom($1) { first, _ in first }.any },
  ]

  @Test(
    "C-4: a cancel while one input is subscribed leaves the other unsubscribed", arguments: pairs)
  func cancelWhileAttaching(operator: Setup<Build>) {
    let subscriber = Subscriber()
    let sources = (0..<2).map { _ in Source { _ in subscriber.cancel() } }
    `operator`.make(sources[0].any, sources[1].any).subscribe(subscriber)
    #expect(sources.map(\.subscriptionCount).sorted() == [0, 1])
    #expect(sources.map(\.cancelCount).sorted() == [0, 1])
    #expect(subscriber.kinds == ["subscription"])
  }

  @Test("C-3: merge: inputs that are asked for one value each alternate")
  func oneOfEach() {
    let subscriber = TestSubscriber<Int, Never>(demand: .max(4))
    (0..<3).publisher.merge(with: (10..<13).publisher).subscribe(subscriber)
    #expect(subscriber.values == [0, 10, 1, 11])
  }

  @Test("C-7: zip: a cancel releases waiting values, even if an upstream keeps its subscriber")
  func releasesWaiting() {
    let upstream = Box<AnySubscriber<ReleaseProbe, TestError>>()
    let subscriber = Subscriber()
    HandingProbes(box: upstream).zip(Empty<Int, TestError>(completeImmediately: false)) {
      _, number in number
    }.subscribe(subscriber)
    let released: Weak<ReleaseProbe>
    do {
      let probe = ReleaseProbe()
      released = Weak(probe)
      _ = upstream.value?.receive(probe)
    }
    #expect(!released.isReleased)
    subscriber.cancel()
    #expect(released.isReleased)
    upstream.set(nil)
  }
}

/// Puts its subscriber into a box, which keeps it also after a cancel.
private struct HandingProbes: Publisher {
  typealias Output = ReleaseProbe
  typealias Failure = TestError

  let box: Box<AnySubscriber<ReleaseProbe, TestError>>

  func receive(subscriber: some Subscriber<ReleaseProbe, TestError>) {
    box.set(AnySubscriber(subscriber))
    subscriber.receive(subscription: Subscriptions.empty)
  }
}
