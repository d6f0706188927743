import Streams
import StreamsTesting
import Testing

// snippet: pairwise
/// Pairs each value with the one before it.
struct PairwiseStage<Value: Sendable, Failure: Error>: Publishers.Stage {
  private var previous: Value?

  mutating func receive(_ input: Value) throws(Failure) -> Publishers.StageStep<(Value, Value)> {
    defer { previous = input }
    guard let previous else { return .skip }
    return .pass((previous, input))
  }
}

nonisolated extension Publisher {
  /// Gives each value together with the one before it.
  func pairwise() -> Publishers.Staged<Self, PairwiseStage<Output, Failure>> {
    through(PairwiseStage())
  }
}
// end

// snippet: average
/// Adds values up and counts them.
struct AverageFold<Failure: Error>: Publishers.Fold {
  private var sum = 0.0
  private var count = 0.0

  mutating func receive(_ input: Double) throws(Failure) -> Bool {
    sum += input
    count += 1
    return true
  }

  mutating func result() throws(Failure) -> Double? {
    count > 0 ? sum / count : nil
  }
}

nonisolated extension Publisher where Output == Double {
  /// Gives the average of all values when the publisher finishes; nothing if there were none.
  func average() -> Publishers.Folded<Self, AverageFold<Failure>> {
    through(AverageFold())
  }
}
// end

@Suite("The operators that Docs/AddingAnOperator.md adds", .leakFree)
struct AddingAnOperatorExamples {
  // snippet: test
  @Test("pairwise skips the first value and requests another in its place")
  func pairs() {
    let source = TestPublisher<Int, Never>()
    let subscriber = TestSubscriber<(Int, Int), Never>(demand: .max(1))
    source.pairwise().subscribe(subscriber)
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .none)
    source.send(completion: .finished)
    #expect(subscriber.values.map(\.0) == [1])
    #expect(subscriber.values.map(\.1) == [2])
    #expect(subscriber.isFinished)
  }

  @Test("A cancel of pairwise reaches the source, and nothing follows")
  func cancel() {
    let source = TestPublisher<Int, Never>()
    let subscriber = TestSubscriber<(Int, Int), Never>()
    source.pairwise().subscribe(subscriber)
    subscriber.cancel()
    source.send(1)
    source.send(2)
    #expect(source.cancelCount == 1)
    #expect(subscriber.values.isEmpty)
  }

  @Test("average waits for demand, and an empty stream has no average")
  func average() {
    let source = TestPublisher<Double, Never>()
    let subscriber = TestSubscriber<Double, Never>(demand: .none)
    source.average().subscribe(subscriber)
    source.send(1)
    source.send(4)
    source.send(completion: .finished)
    #expect(subscriber.values.isEmpty)
    subscriber.request(.max(1))
    #expect(subscriber.values == [2.5])
    #expect(subscriber.isFinished)

    let empty = TestSubscriber<Double, Never>()
    Empty<Double, Never>().average().subscribe(empty)
    #expect(empty.values.isEmpty)
    #expect(empty.isFinished)
  }
  // end

  // snippet: conformance
  @Test("pairwise and average keep the contract")
  func conformance() async throws {
    try await OperatorConformance("pairwise") { upstream, _ in upstream.pairwise() }.check()
    try await OperatorConformance("average", traits: .init(demand: .unlimited)) { upstream, _ in
      upstream.map(Double.init).average()
    }.check()
  }
  // end
}
