import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Just, Fail, Empty, Deferred, Sequence, Optional, Result", .leakFree)
struct SourceTests {
  @Test("Just delivers its value on demand, then finishes")
  func just() {
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    Just(1).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription"])
    subscriber.request(.max(1))
    subscriber.request(.max(1))
    #expect(subscriber.kinds == ["subscription", "1", "finished"])
    #expect(Just(1) == Just(1))
    #expect(Just(1) != Just(2))
  }

  @Test("Fail fails at once, without demand")
  func fail() {
    let subscriber = TestSubscriber<Int, TestError>(demand: .none)
    Fail(error: .first).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "failure first"])
    subscriber.request(.max(1))
    subscriber.cancel()
    #expect(Fail(outputType: Int.self, failure: TestError.second).error == .second)
  }

  @Test("Empty finishes at once, or never")
  func empty() {
    let finished = TestSubscriber<Int, TestError>(demand: .none)
    Empty().subscribe(finished)
    #expect(finished.kinds == ["subscription", "finished"])
    let open = TestSubscriber<Int, TestError>()
    Empty(completeImmediately: false, outputType: Int.self, failureType: TestError.self)
      .subscribe(open)
    #expect(open.kinds == ["subscription"])
    open.cancel()
  }

  @Test("A sequence delivers its elements on demand, and the end with the last")
  func elements() {
    let subscriber = TestSubscriber<Int, Never>(demand: .max(2))
    [1, 2, 3].publisher.subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1", "2"])
    subscriber.request(.max(1))
    #expect(subscriber.kinds == ["subscription", "1", "2", "3", "finished"])
    subscriber.request(.max(1))
    subscriber.cancel()
    #expect(subscriber.kinds.count == 5)
    #expect([1].publisher == [1].publisher)
  }

  @Test("An empty sequence ends without demand and may have a failure type")
  func emptySequence() {
    let subscriber = TestSubscriber<Int, TestError>(demand: .none)
    Publishers.Sequence<[Int], TestError>(sequence: []).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "finished"])
    subscriber.request(.unlimited)
    subscriber.cancel()
  }

  @Test("Each subscriber of a sequence receives all elements")
  func sequenceTwice() {
    let publisher = (1...3).publisher
    for _ in 1...2 {
      let subscriber = TestSubscriber<Int, Never>()
      publisher.subscribe(subscriber)
      #expect(subscriber.values == [1, 2, 3])
    }
  }

  @Test("A sequence by its own name is the same as the sequence's publisher")
  func sequenceByName() {
    let subscriber = TestSubscriber<Int, Never>(demand: .max(2))
    Publishers.Sequence([1, 2, 3]).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1", "2"])
    subscriber.request(.max(1))
    #expect(subscriber.kinds == ["subscription", "1", "2", "3", "finished"])
    #expect(Publishers.Sequence([1, 2, 3]) == [1, 2, 3].publisher)
  }

  @Test("C-4: a cancelled sequence pulls no more elements")
  func cancelSequence() {
    let pulled = Tally()
    let endless = sequence(first: 0) { value in
      pulled.add()
      return value + 1
    }
    let subscriber = TestSubscriber<Int, Never>(demand: .max(3))
    SendableSequence(elements: endless).publisher.subscribe(subscriber)
    subscriber.cancel()
    let before = pulled.count
    subscriber.request(.max(5))
    #expect(subscriber.values == [0, 1, 2])
    #expect(pulled.count == before)
  }

  @Test("C-4: a cancel from inside the iterator is final")
  func cancelInIterator() {
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    let numbers = sequence(first: 0) { value in
      if value == 2 { subscriber.cancel() }
      return value + 1
    }
    SendableSequence(elements: numbers).publisher.subscribe(subscriber)
    subscriber.request(.unlimited)
    #expect(subscriber.values == [0, 1])
  }

  @Test("C-1: two threads request a sequence's elements and receive each once, in order")
  func sequenceThreads() {
    let count = 10_000
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    (0..<(2 * count)).publisher.subscribe(subscriber)
    #expect(
      raceEnds(threads: 2) { _, _ in for _ in 0..<count { subscriber.request(.max(1)) } })
    #expect(subscriber.values == Array(0..<(2 * count)))
    #expect(subscriber.isFinished)
    #expect(subscriber.overlaps == 0)
  }

  @Test("An optional delivers its value, if it has one, and the end")
  func optional() {
    let some = TestSubscriber<Int, Never>(demand: .none)
    Optional(1).publisher.subscribe(some)
    #expect(some.kinds == ["subscription"])
    some.request(.unlimited)
    #expect(some.kinds == ["subscription", "1", "finished"])
    let none = TestSubscriber<Int, Never>(demand: .none)
    Int?.none.publisher.subscribe(none)
    #expect(none.kinds == ["subscription", "finished"])
  }

  @Test("A result delivers its success and the end, or its failure")
  func result() {
    let success = TestSubscriber<Int, TestError>(demand: .none)
    Result<Int, TestError>.success(1).publisher.subscribe(success)
    #expect(success.kinds == ["subscription"])
    success.request(.unlimited)
    #expect(success.kinds == ["subscription", "1", "finished"])
    let failure = TestSubscriber<Int, TestError>(demand: .none)
    Result<Int, TestError>.failure(.first).publisher.subscribe(failure)
    #expect(failure.kinds == ["subscription", "failure first"])
  }

  @Test("A result's publisher can be made of a success and of a failure, too")
  func resultParts() {
    let success = TestSubscriber<Int, TestError>()
    Result<Int, TestError>.Publisher(3).subscribe(success)
    #expect(success.values == [3])
    let failure = TestSubscriber<Int, TestError>()
    Result<Int, TestError>.Publisher(TestError.second).subscribe(failure)
    #expect(failure.failure == .second)
  }

  @Test("A subscriber without demand receives only the signals that need none")
  func noneRequests() {
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    [1].publisher.subscribe(subscriber)
    for _ in 1...3 { subscriber.request(.none) }
    #expect(subscriber.kinds == ["subscription"])
  }
}

/// Vouches for a sequence whose closure is safe to call from any thread.
private struct SendableSequence<Elements: Sequence>: Sequence, @unchecked Sendable
where Elements.Element: Sendable {
  // Unchecked because these tests capture atomic counters only.
  let elements: Elements

  func makeIterator() -> Iterator { Iterator(elements: elements.makeIterator()) }

  struct Iterator: IteratorProtocol, @unchecked Sendable {
    // Unchecked as above.
    var elements: Elements.Iterator

    mutating func next() -> Elements.Element? { elements.next() }
  }
}
