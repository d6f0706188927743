import StreamsFixtures
import StreamsTesting
import Testing

@testable import Streams

@Suite("output, prefix(n), dropFirst", .leakFree)
struct OutputTests {
  static let source = finishing(0, 1, 2, 3, 4)

  @Test("output(at:) delivers the value at a position")
  func outputAt() {
    #expect(Self.source.output(at: 0).played() == ["0", "finished"])
    #expect(Self.source.output(at: 3).played() == ["3", "finished"])
    #expect(Self.source.output(at: 9).played() == ["finished"])
    #expect(failing(0, 1).output(at: 1).played() == ["1", "finished"])
    #expect(failing(0, 1).output(at: 2).played() == ["failure first"])
  }

  @Test("output(in:) accepts ranges of every kind")
  func outputIn() {
    #expect(Self.source.output(in: 1..<3).played() == ["1", "2", "finished"])
    #expect(Self.source.output(in: 1...3).played() == ["1", "2", "3", "finished"])
    #expect(Self.source.output(in: 3...).played() == ["3", "4", "finished"])
    #expect(Self.source.output(in: ..<2).played() == ["0", "1", "finished"])
    #expect(Self.source.output(in: ...1).played() == ["0", "1", "finished"])
    #expect(Self.source.output(in: 3...9).played() == ["3", "4", "finished"])
  }

  @Test("output never traps at the limits of Int")
  func outputEdges() {
    #expect(Self.source.output(in: -5..<2).played() == ["0", "1", "finished"])
    #expect(Self.source.output(in: 3...Int.max).played() == ["3", "4", "finished"])
    #expect(Self.source.output(in: Int.min...0).played() == ["0", "finished"])
    #expect(Self.source.output(in: ..<(-1)).played() == ["finished"])
    #expect(Self.source.output(in: ...(-1)).played() == ["finished"])
    #expect(Self.source.output(in: Int.max...).played() == ["finished"])
    #expect(Self.source.output(at: Int.max).played() == ["finished"])
    #expect(Self.source.output(at: -1).played() == ["finished"])
  }

  @Test("An empty range finishes at once, without demand and without subscribing")
  func emptyRange() {
    let source = TestPublisher<Int, TestError>()
    #expect(source.output(in: 2..<2).played(asking: .none) == ["finished"])
    #expect(source.prefix(0).played(asking: .none) == ["finished"])
    #expect(source.prefix(-1).played(asking: .none) == ["finished"])
    #expect(source.subscriptionCount == 0)
  }

  @Test("prefix finishes with its last value and cancels the upstream")
  func prefix() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(5))
    source.prefix(2).subscribe(subscriber)
    #expect(source.requests == [.max(5)])
    source.send(1)
    #expect(source.cancelCount == 0)
    source.send(2)
    #expect(subscriber.kinds == ["subscription", "1", "2", "finished"])
    #expect(source.cancelCount == 1)
  }

  @Test("prefix of a shorter stream ends as the stream does")
  func longPrefix() {
    #expect(finishing(1, 2).prefix(3).played() == ["1", "2", "finished"])
    #expect(finishing(1, 2).prefix(.max).played() == ["1", "2", "finished"])
    #expect(failing(1).prefix(3).played() == ["1", "failure first"])
  }

  @Test("prefix of an endless stream finishes")
  func endless() {
    #expect((0...).publisher.prefix(3).played() == ["0", "1", "2", "finished"])
  }

  @Test("C-15: signals after the end of prefix are dropped and reported")
  func stray() {
    let late = Box<AnySubscriber<Int, TestError>>()
    let subscriber = TestSubscriber<Int, TestError>()
    Handing {
      late.set($0)
      $0.receive(subscription: Subscriptions.empty)
    }.prefix(1).subscribe(subscriber)
    let reported = violations {
      _ = late.value?.receive(1)
      _ = late.value?.receive(2)
      late.value?.receive(completion: .finished)
    }
    #expect(subscriber.kinds == ["subscription", "1", "finished"])
    #expect(reported.map(\.rule) == [.valueAfterEnd, .secondEnd])
  }

  @Test("dropFirst drops a number of values and requests another for each")
  func dropFirst() {
    #expect(Self.source.dropFirst().played() == ["1", "2", "3", "4", "finished"])
    #expect(Self.source.dropFirst(3).played() == ["3", "4", "finished"])
    #expect(Self.source.dropFirst(9).played() == ["finished"])
    let source = TestPublisher<Int, TestError>()
    source.dropFirst(1).subscribe(TestSubscriber<Int, TestError>(demand: .max(1)))
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .none)
  }

  @Test("dropFirst treats a negative number as zero and does not trap", arguments: [0, -1, .min])
  func dropNothing(count: Int) {
    #expect(finishing(1, 2).dropFirst(count).played() == ["1", "2", "finished"])
    let ofAll = finishing(1, 2).dropFirst(.max)
    #expect(ofAll.played() == ["finished"])
    #expect(ofAll.base.stage.range == (Int.max - 1)..<Int.max)
  }
}
