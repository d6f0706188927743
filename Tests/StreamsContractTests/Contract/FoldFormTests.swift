import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Common behavior of operators that fold all values into one or select one", .leakFree)
struct FoldFormTests {
  enum Ending: CaseIterable, Sendable {
    case finish, failure, cancel
  }

  @Test("The result comes at the end", arguments: FoldForm.all)
  func result(form: FoldForm) {
    let played = form.attach(finishing(1, 2, 3).eraseToAnyPublisher(), {}).played()
    #expect(played == (form.result.map { [$0] } ?? []) + ["finished"])
  }

  @Test(
    "C-3: the upstream receives one unlimited request, and the result waits for demand",
    arguments: FoldForm.all)
  func demand(form: FoldForm) {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<String, TestError>(demand: .none)
    form.attach(source.eraseToAnyPublisher(), {}).subscribe(subscriber)
    for value in [1, 2, 3] { #expect(source.send(value) == .none) }
    source.send(completion: .finished)
    #expect(source.requests == [.unlimited])
    if form.result != nil {
      #expect(subscriber.kinds == ["subscription"])
      subscriber.request(.max(1))
    }
    #expect(subscriber.kinds.last == "finished")
  }

  @Test(
    "C-3: the upstream receives the demand that the fold states, and none for no values",
    arguments: [Subscribers.Demand.none, .max(2), .unlimited])
  func ownDemand(demand: Subscribers.Demand) {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>()
    source.through(AskingFold(demand: demand)).subscribe(subscriber)
    #expect(source.requests == (demand == .none ? [] : [demand]))
    source.send(completion: .finished)
    #expect(subscriber.kinds == ["subscription", "finished"])
  }

  /// Asks for so much and makes nothing of it.
  private struct AskingFold: Publishers.Fold {
    typealias Failure = TestError

    let demand: Subscribers.Demand

    mutating func receive(_ input: Int) throws(TestError) -> Bool { true }
    mutating func result() throws(TestError) -> Int? { nil }
  }

  @Test("Of several equal values, min and max deliver the first")
  func firstOfEqual() {
    let ranked = [(2, "a"), (1, "b"), (1, "c"), (2, "d")].map { Ranked(rank: $0.0, name: $0.1) }
    #expect(ranked.publisher.min().played() == ["b", "finished"])
    #expect(ranked.publisher.max().played() == ["a", "finished"])
  }

  /// Values of equal rank that differ only in their names.
  private struct Ranked: Comparable, Sendable, CustomStringConvertible {
    let rank: Int
    let name: String

    var description: String { name }

    static func == (lhs: Ranked, rhs: Ranked) -> Bool { lhs.rank == rhs.rank }
    static func < (lhs: Ranked, rhs: Ranked) -> Bool { lhs.rank < rhs.rank }
  }

  @Test("A failure comes in place of the result, without demand", arguments: FoldForm.all)
  func failure(form: FoldForm) {
    let chain = form.attach(failing(1, 2).eraseToAnyPublisher(), {})
    #expect(chain.played(asking: .none) == ["failure first"])
  }

  @Test("C-4: a cancel reaches the upstream once, and no result follows", arguments: FoldForm.all)
  func cancel(form: FoldForm) {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<String, TestError>()
    form.attach(source.eraseToAnyPublisher(), {}).subscribe(subscriber)
    source.send(1)
    for _ in 1...2 { subscriber.cancel() }
    #expect(source.cancelCount == 1)
    source.send(completion: .finished)
    #expect(subscriber.kinds == ["subscription"])
  }

  @Test("C-5: a fold takes very many values", arguments: FoldForm.all)
  func constantStack(form: FoldForm) {
    let ends = Tally()
    #expect(
      runsOnSmallStack {
        let source = (0..<manyTimes).publisher.setFailureType(to: TestError.self)
        form.attach(source.eraseToAnyPublisher(), {}).sink(
          receiveCompletion: { _ in ends.add() }, receiveValue: { _ in }
        ).cancel()
      })
    #expect(ends.count == 1)
  }

  @Test(
    "C-7: closures and subscriber are released at the end, even if the subscription is held",
    arguments: FoldForm.all, Ending.allCases)
  func release(form: FoldForm, ending: Ending) {
    let source = PassthroughSubject<Int, TestError>()
    let keeper = SubscriptionKeeper()
    let probe: Weak<ReleaseProbe>
    let subscriber: Weak<KeptSubscriber<String, TestError>>
    do {
      let object = ReleaseProbe()
      let kept = KeptSubscriber<String, TestError>(keeper: keeper)
      probe = Weak(object)
      subscriber = Weak(kept)
      form.attach(source.eraseToAnyPublisher(), { object.touch() }).subscribe(kept)
    }
    source.send(1)
    switch ending {
    case .finish: source.send(completion: .finished)
    case .failure: source.send(completion: .failure(.first))
    case .cancel: keeper.subscription?.cancel()
    }
    #expect(probe.isReleased)
    #expect(subscriber.isReleased)
    #expect(keeper.subscription != nil)
  }

  @Test("C-8: closures run only after a subscription", arguments: FoldForm.all)
  func lazy(form: FoldForm) {
    let seen = Tally()
    let chain = form.attach(finishing(1, 2).eraseToAnyPublisher(), { seen.add() })
    #expect(seen.count == 0)
    _ = chain.played()
    let once = seen.count
    _ = chain.played()
    #expect(seen.count == 2 * once)
  }

  /// Those that pass values on one by one.
  static let oneByOne = Stage.all.filter(\.waitsForDemand) + Stage.tailing

  @Test("C-5: a fold takes very many values that are requested one by one", arguments: oneByOne)
  func askedOneByOne(stage: Stage) {
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(1)) { _, _ in .max(1) }
    #expect(
      runsOnSmallStack {
        stage((0..<20_000).publisher.setFailureType(to: TestError.self)).subscribe(subscriber)
      })
    #expect(subscriber.values == Array(0..<20_000))
    #expect(subscriber.isFinished)
    #expect(subscriber.overlaps == 0)
  }

  @Test("C-3: the values stay within the demand", arguments: oneByOne)
  func noMore(stage: Stage) {
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(1))
    stage((1...9).publisher.setFailureType(to: TestError.self)).subscribe(subscriber)
    #expect(subscriber.values == [1])
    subscriber.request(.max(1))
    #expect(subscriber.values == [1, 2])
    subscriber.request(.max(2))
    #expect(subscriber.values == [1, 2, 3, 4])
    subscriber.request(.unlimited)
    #expect(subscriber.values == Array(1...9))
    #expect(subscriber.isFinished)
  }
}
