import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("How a splitter turns one value into several", .leakFree)
struct SplitterTests {
  /// Gives the characters of each text, and the texts' number behind the last.
  private struct Letters: Publishers.Splitter {
    private var letters: Substring = ""
    private var count = 0

    mutating func receive(_ input: String) throws(TestError) {
      guard input != "refused" else { throw .second }
      #expect(letters.isEmpty)
      letters = input[...]
      count += 1
    }

    mutating func next() throws(TestError) -> String? {
      guard let letter = letters.popFirst() else { return nil }
      guard letter != "?" else { throw .third }
      return String(letter)
    }

    mutating func end(
      _ completion: Subscribers.Completion<TestError>
    ) -> Subscribers.Completion<TestError> {
      if completion == .finished { letters = "\(count)" }
      return completion
    }
  }

  private struct Run {
    let source = TestPublisher<String, TestError>()
    let subscriber: TestSubscriber<String, TestError>

    init(demand: Subscribers.Demand) {
      subscriber = TestSubscriber(demand: demand)
      source.through(Letters()).subscribe(subscriber)
    }
  }

  @Test("C-3: a splitter delivers only as many parts of a value as requested")
  func demand() {
    let run = Run(demand: .none)
    #expect(run.source.requests == [])
    run.subscriber.request(.max(2))
    #expect(run.source.requests == [.max(1)])
    #expect(run.source.send("abcd") == .none)
    #expect(run.subscriber.values == ["a", "b"])
    run.subscriber.request(.max(1))
    #expect(run.subscriber.values == ["a", "b", "c"])
    run.subscriber.cancel()
  }

  @Test("C-3: another value is requested when no parts are left and demand remains")
  func upstreamDemand() {
    let run = Run(demand: .max(3))
    #expect(run.source.send("ab") == .max(1))
    #expect(run.source.send("cd") == .none)
    run.subscriber.request(.max(1))
    #expect(run.source.requests == [.max(1)])
    run.subscriber.request(.max(1))
    #expect(run.source.requests == [.max(1), .max(1)])
    run.subscriber.request(.max(7))
    #expect(run.source.requests == [.max(1), .max(1)])
    #expect(run.subscriber.values == ["a", "b", "c", "d"])
    run.subscriber.cancel()
  }

  @Test("C-14: unlimited demand makes one unlimited request upstream")
  func unlimited() {
    let run = Run(demand: .unlimited)
    #expect(run.source.requests == [.unlimited])
    #expect(run.source.send("ab") == .none)
    #expect(run.source.send("") == .none)
    #expect(run.source.send("c") == .none)
    run.source.send(completion: .finished)
    #expect(run.subscriber.kinds == ["subscription", "a", "b", "c", "3", "finished"])
  }

  @Test("C-3: demand that becomes unlimited reaches the upstream with the next request")
  func becomesUnlimited() {
    let run = Run(demand: .max(1))
    run.subscriber.request(.unlimited)
    #expect(run.source.requests == [.max(1)])
    #expect(run.source.send("ab") == .unlimited)
    run.subscriber.cancel()
  }

  @Test("A value that gives no parts is replaced by a request for another")
  func nothing() {
    let run = Run(demand: .max(1))
    #expect(run.source.send("") == .max(1))
    #expect(run.source.send("a") == .none)
    run.subscriber.cancel()
  }

  @Test("C-3: an end needs no demand if no parts are left")
  func endWithoutDemand() {
    let run = Run(demand: .max(2))
    run.source.send("ab")
    run.source.send(completion: .failure(.first))
    #expect(run.subscriber.kinds == ["subscription", "a", "b", "failure first"])
  }

  @Test("An end waits for the remaining parts and for those that the splitter adds")
  func endBehindValues() {
    let run = Run(demand: .max(1))
    run.source.send("ab")
    run.source.send(completion: .finished)
    #expect(run.subscriber.kinds == ["subscription", "a"])
    run.subscriber.request(.max(1))
    #expect(run.subscriber.kinds == ["subscription", "a", "b"])
    run.subscriber.request(.max(1))
    #expect(run.subscriber.kinds == ["subscription", "a", "b", "1", "finished"])
  }

  @Test("A failure waits for the remaining parts, too")
  func failureBehindValues() {
    let run = Run(demand: .max(1))
    run.source.send("ab")
    run.source.send(completion: .failure(.first))
    #expect(run.subscriber.kinds == ["subscription", "a"])
    run.subscriber.request(.max(1))
    #expect(run.subscriber.kinds == ["subscription", "a", "b", "failure first"])
  }

  @Test(
    "C-7: a splitter that throws cancels the upstream and fails after the parts it gave",
    arguments: [("refused", [], "second"), ("a?b", ["a"], "third")])
  func failure(input: String, values: [String], failure: String) {
    let run = Run(demand: .unlimited)
    run.source.send(input)
    #expect(run.subscriber.kinds == ["subscription"] + values + ["failure \(failure)"])
    #expect(run.source.cancelCount == 1)
  }

  @Test("A splitter that throws after the upstream's end replaces the end with its failure")
  func failureBehindEnd() {
    let run = Run(demand: .max(1))
    run.source.send("a?")
    run.source.send(completion: .finished)
    #expect(run.subscriber.kinds == ["subscription", "a", "failure third"])
    #expect(run.source.cancelCount == 0)
  }

  @Test("C-4: after a cancel from inside a part no further part is delivered")
  func cancelInside() {
    let source = TestPublisher<String, TestError>()
    let subscriber = TestSubscriber<String, TestError> { subscriber, value in
      if value == "b" { subscriber.cancel() }
      return .none
    }
    source.through(Letters()).subscribe(subscriber)
    source.send("abc")
    #expect(subscriber.kinds == ["subscription", "a", "b"])
    #expect(source.cancelCount == 1)
  }

  @Test("C-4: a cancel after the upstream's end drops the waiting parts")
  func cancelBehindEnd() {
    let run = Run(demand: .max(1))
    run.source.send("abc")
    run.source.send(completion: .finished)
    run.subscriber.cancel()
    run.subscriber.request(.unlimited)
    #expect(run.subscriber.kinds == ["subscription", "a"])
    #expect(run.source.cancelCount == 0)
  }

  @Test("C-5: very many parts, each requested from inside the previous one, need constant stack")
  func depth() {
    let numbers = Recording<String>()
    let isDone = runsOnSmallStack {
      let subscriber = AnySubscriber<String, TestError>(
        receiveSubscription: { $0.request(.max(1)) },
        receiveValue: { value in
          if value != "a", value != "b" { numbers.add(value) }
          return .max(1)
        })
      repeatElement("ab", count: manyTimes).publisher.setFailureType(to: TestError.self)
        .through(Letters()).subscribe(subscriber)
    }
    #expect(isDone)
    #expect(numbers.elements.joined() == "\(manyTimes)")
  }

  @Test("C-15: a value without demand is dropped and reported")
  func excess() {
    let run = Run(demand: .max(1))
    run.source.send("ab")
    let found = violations { run.source.send("cd") }
    #expect(found.map(\.rule) == [.moreThanDemanded])
    run.subscriber.request(.max(2))
    #expect(run.subscriber.values == ["a", "b"])
    run.subscriber.cancel()
  }

  @Test("A splitter keeps the contract", arguments: [1, 3])
  func conformance(copies: Int) async throws {
    try await OperatorConformance("splitter", traits: .init(demand: .own)) { upstream, rig in
      upstream.through(Copies(count: copies, touch: { rig.touch() }))
    }.check()
  }

  /// Gives each number so many times.
  private struct Copies: Publishers.Splitter {
    let count: Int
    let touch: @Sendable () -> Void
    private var left = 0
    private var number = 0

    init(count: Int, touch: @escaping @Sendable () -> Void) {
      self.count = count
      self.touch = touch
    }

    mutating func receive(_ input: Int) throws(ConformanceError) {
      (number, left) = (input, count)
    }

    mutating func next() throws(ConformanceError) -> Int? {
      guard left > 0 else { return nil }
      left -= 1
      touch()
      return number
    }

    func end(
      _ completion: Subscribers.Completion<ConformanceError>
    ) -> Subscribers.Completion<ConformanceError> {
      completion
    }
  }
}
