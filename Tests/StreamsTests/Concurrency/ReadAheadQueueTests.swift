import StreamsFixtures
import StreamsTesting
import Testing

@testable import Streams

@Suite("A source can see whether its earlier values were taken", .leakFree)
struct ReadAheadQueueTests {
  /// A source that checks whether a reader is ahead, and counts the notifications to continue.
  private final class Source: Sendable {
    let subject = PassthroughSubject<Int, Never>()
    private let found = Lock<(any ReadAhead)?>(nil)
    private let calls = Lock(0)

    var publisher: AnyPublisher<Int, Never> {
      DeferredInContext { [self] context in
        found.withLock { $0 = context[ReadAheadKey.self] }
        return subject
      }
      .eraseToAnyPublisher()
    }

    var hasReader: Bool { found.withLock { $0 != nil } }

    var goings: Int { calls.withLock { $0 } }

    func isAhead() -> Bool {
      let reader = found.withLock { $0 }
      return reader?.isAhead { [self] in calls.withLock { $0 += 1 } } ?? false
    }

    func forget() {
      found.withLock { $0 = nil }
    }
  }

  private let source = Source()

  @Test("The reader is ahead until all values are taken, and then each waiter is notified once")
  func taken() async throws {
    var iterator = source.publisher.map { $0 + 1 }.filter { $0 > 0 }.values.makeAsyncIterator()
    defer { source.forget() }
    #expect(source.hasReader)
    #expect(!source.isAhead())
    source.subject.send(1)
    source.subject.send(2)
    #expect(source.isAhead())
    #expect(await iterator.next() == 2)
    #expect(source.isAhead())
    #expect(source.goings == 0)
    #expect(await iterator.next() == 3)
    #expect(source.goings == 2)
    #expect(!source.isAhead())
    source.subject.send(4)
    #expect(await iterator.next() == 5)
    #expect(source.goings == 2)
  }

  @Test(
    "After an end or a cancel the reader is not ahead, and no waiter is notified",
    arguments: [false, true])
  func over(isEnd: Bool) async throws {
    var iterator: AsyncValues<AnyPublisher<Int, Never>>.Iterator? =
      source.publisher.values.makeAsyncIterator()
    defer { source.forget() }
    source.subject.send(1)
    #expect(source.isAhead())
    if isEnd { source.subject.send(completion: .finished) } else { iterator = nil }
    #expect(!source.isAhead())
    _ = await iterator?.next()
    #expect(source.goings == 0)
  }

  @Test("A prefetch of two reads ahead")
  func two() {
    let iterator = source.publisher.values(buffering: .prefetch(2)).makeAsyncIterator()
    defer { source.forget() }
    #expect(source.hasReader)
    withExtendedLifetime(iterator) {}
  }

  @Test("C-7: a cancel and an end release the waiters", arguments: [false, true])
  func release(isEnd: Bool) {
    let queue = ValueQueue<Int, Never>(.max(4))
    source.subject.subscribe(queue)
    source.subject.send(1)
    let probe: Weak<ReleaseProbe>
    do {
      let object = ReleaseProbe()
      probe = Weak(object)
      let isAhead = queue.isAhead { object.touch() }
      #expect(isAhead)
    }
    #expect(!probe.isReleased)
    if isEnd { source.subject.send(completion: .finished) } else { queue.cancel() }
    #expect(probe.isReleased)
  }

  @Test("A prefetch of one and an unbounded buffer do not read ahead")
  func none() async throws {
    let all = source.publisher.values(buffering: .unbounded).makeAsyncIterator()
    #expect(!source.hasReader)
    let one = source.publisher.values(buffering: .prefetch(1)).makeAsyncIterator()
    #expect(!source.hasReader)
    withExtendedLifetime((all, one)) {}
  }
}
