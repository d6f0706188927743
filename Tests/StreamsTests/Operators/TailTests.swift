import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("How a tail handles values and the end", .leakFree)
struct TailTests {
  /// Takes the step that each value names, and puts one more value after the last.
  private struct Script: Publishers.Tail {
    typealias Input = String
    typealias Failure = TestError
    typealias InputFailure = TestError

    var isDone = false
    var ratio = 1

    func receive(_ input: String) throws(TestError) -> Publishers.StageStep<String> {
      switch input {
      case "skip": .skip
      case "last": .last(input)
      case "finish": .finish
      case "throw": throw .second
      default: .pass(input)
      }
    }

    func end(
      _ completion: Subscribers.Completion<TestError>
    ) -> Publishers.TailEnd<String, TestError> {
      completion == .finished ? .value("end") : .end(completion)
    }
  }

  private struct Run {
    let source = TestPublisher<String, TestError>()
    let subscriber: TestSubscriber<String, TestError>

    init(_ tail: Script = Script(), demand: Subscribers.Demand = .max(2)) {
      subscriber = TestSubscriber(demand: demand)
      source.through(tail).subscribe(subscriber)
    }
  }

  @Test("Values pass, and one more follows the last")
  func pass() {
    let run = Run()
    run.source.send("a")
    run.source.send(completion: .finished)
    #expect(run.subscriber.kinds == ["subscription", "a", "end", "finished"])
  }

  @Test("C-5: a skipped value requests one more")
  func skip() {
    let run = Run()
    #expect(run.source.send("skip") == .max(1))
    #expect(run.source.send("a") == .none)
    #expect(run.subscriber.kinds == ["subscription", "a"])
    run.subscriber.cancel()
  }

  @Test("C-5: skipped values of one request for several are not requested again")
  func skipOfSeveral() {
    let run = Run(Script(ratio: 3))
    #expect(run.source.requests == [.max(6)])
    #expect(run.source.send("skip") == .none)
    run.subscriber.cancel()
  }

  @Test("C-7: a last value cancels the upstream and finishes")
  func last() {
    let run = Run()
    run.source.send("last")
    #expect(run.subscriber.kinds == ["subscription", "last", "finished"])
    #expect(run.source.cancelCount == 1)
  }

  @Test("C-7: a tail that finishes cancels the upstream")
  func finish() {
    let run = Run()
    run.source.send("finish")
    #expect(run.subscriber.kinds == ["subscription", "finished"])
    #expect(run.source.cancelCount == 1)
  }

  @Test("C-7: a tail that throws cancels the upstream and fails")
  func fail() {
    let run = Run()
    run.source.send("throw")
    #expect(run.subscriber.kinds == ["subscription", "failure second"])
    #expect(run.subscriber.failure == .second)
    #expect(run.source.cancelCount == 1)
  }

  @Test("C-4: a cancel inside a tail's last value suppresses the end")
  func cancelInLast() {
    let source = TestPublisher<String, TestError>()
    let subscriber = TestSubscriber<String, TestError> { subscriber, _ in
      subscriber.cancel()
      return .none
    }
    source.through(Script()).subscribe(subscriber)
    source.send("last")
    #expect(subscriber.kinds == ["subscription", "last"])
  }

  @Test("C-4: a cancel from inside the upstream's cancel suppresses the last value")
  func cancelInUpstreamCancel() {
    let source = TestPublisher<String, TestError>()
    let subscriber = TestSubscriber<String, TestError>(demand: .max(2))
    source.handleEvents(receiveCancel: { subscriber.cancel() })
      .through(Script()).subscribe(subscriber)
    source.send("last")
    #expect(subscriber.kinds == ["subscription"])
  }

  @Test("A tail that needs no values leaves the upstream unsubscribed")
  func done() {
    let run = Run(Script(isDone: true))
    #expect(run.subscriber.kinds == ["subscription", "finished"])
    #expect(run.source.subscriberCount == 0)
  }
}
