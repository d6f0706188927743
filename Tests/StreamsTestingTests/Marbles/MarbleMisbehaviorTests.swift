import Streams
import StreamsTesting
import Synchronization
import Testing

@Suite("Marbles show publishers and subscribers that break the rules", .leakFree)
struct MarbleMisbehaviorTests {
  private final class CountedSubscription: Subscription {
    private let total = Atomic<Int>(0)

    var cancelCount: Int { total.load(ordering: .sequentiallyConsistent) }

    func request(_ demand: Subscribers.Demand) {}
    func cancel() { total.add(1, ordering: .sequentiallyConsistent) }
  }

  @Test("Signals after the end and values without demand are shown")
  func afterEnd() throws {
    let publisher = TestPublisher<Int, Never> { publisher in
      publisher.send(1)
      publisher.send(completion: .finished, forgetting: false)
      publisher.send(2)
      publisher.send(completion: .finished)
    }
    let marbles = Marbles()
    #expect(try marbles.diagram(of: publisher, demand: "0").description == "(1|2|)")
    let error = #expect(throws: MarbleMismatch.self) { try marbles.expect(publisher, toBe: "(1|)") }
    #expect(error?.actual.description == "(1|2|)")
  }

  @Test("RS 2.5: a second subscription is cancelled")
  func secondSubscription() throws {
    let second = CountedSubscription()
    let publisher = TestPublisher<Int, Never> { publisher in
      publisher.sendSubscription(second)
      publisher.send(1)
    }
    try Marbles().expect(publisher, toBe: "1")
    #expect(second.cancelCount == 1)
    #expect(publisher.cancelCount == 1)
  }

  @Test("A subscriber that cancels at once leaves no work on the scheduler")
  func earlyCancel() throws {
    let marbles = Marbles()
    let source = try marbles.publisher("-1-2|")
    source.subscribe(
      AnySubscriber(
        receiveSubscription: { subscription in
          subscription.cancel()
          subscription.cancel()
          subscription.request(.unlimited)
        },
        receiveValue: { _ in
          Issue.record("A value after the cancel")
          return .none
        },
        receiveCompletion: { _ in Issue.record("An end after the cancel") }))
    #expect(marbles.scheduler.pendingCount == 0)
  }

  @Test("A cancel from inside a value stops the rest of the same frame")
  func cancelInside() throws {
    let marbles = Marbles()
    let source = try marbles.publisher("(123|)", values: Int.init)
    let subscriber = TestSubscriber<Int, Never> { subscriber, _ in
      subscriber.cancel()
      return .none
    }
    source.subscribe(subscriber)
    marbles.scheduler.run()
    #expect(subscriber.values == [1])
    #expect(!subscriber.isFinished)
  }

  @Test("A limit without a limit is one, also with a hot source and long frames")
  func greatestLimit() throws {
    for frame in [Duration.nanoseconds(1), .seconds(86_400)] {
      let marbles = Marbles(frame: frame, limit: .max)
      let hot = try marbles.publisher("a-^-b|")
      try marbles.expect(hot, toBe: "--b|")
      #expect(marbles.limit == 1_000_000_000)
    }
    #expect(Marbles(limit: -1).limit == 0)
  }

  @Test("What a mismatch says of values stays on its line, in the order in which it is written")
  func notes() throws {
    let error = #expect(throws: MarbleMismatch.self) {
      try Marbles().expect(
        Just("a\n# is b\u{202E}\u{1B}[2J\u{2028}\r\t"), toBe: "(x|)", values: ["x": "y\nz = 1"])
    }
    let lines = try #require(error).description.split(separator: "\n").suffix(1)
    #expect(lines == ["x = y\\nz = 1"])
    #expect(error?.notes == ["x = y\nz = 1"])
    let other = #expect(throws: MarbleMismatch.self) {
      try Marbles().expect(
        Fail<Int, Text>(error: Text(description: "\u{202E}\u{1B}\u{2028}\r\t\u{85}")), toBe: "|")
    }
    let last = other?.description.split(separator: "\n").last
    #expect(last == "# is \\u{202e}\\u{1b}\\u{2028}\\r\\t\\u{85}")
  }

  private struct Text: Error, CustomStringConvertible {
    let description: String
  }
}
