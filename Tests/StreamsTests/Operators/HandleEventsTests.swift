import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("handleEvents", .leakFree)
struct HandleEventsTests {
  private func watched(
    _ source: TestPublisher<Int, TestError>, _ log: Recording<String>
  ) -> some Publisher<Int, TestError> {
    source.handleEvents(
      receiveSubscription: { _ in log.add("subscription") },
      receiveOutput: { log.add("output \($0)") },
      receiveCompletion: { _ in log.add("completion") },
      receiveCancel: { log.add("cancel") },
      receiveRequest: { log.add("request \($0)") })
  }

  @Test("The closures run as signals pass, with requests and the results of receive(_:)")
  func signals() {
    let log = Recording<String>()
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(1)) { _, value in
      value == 1 ? .max(2) : .none
    }
    watched(source, log).subscribe(subscriber)
    source.send(1)
    source.send(2)
    subscriber.request(.unlimited)
    source.send(completion: .finished)
    #expect(
      log.elements == [
        "subscription", "request max(1)", "output 1", "request max(2)", "output 2",
        "request unlimited", "completion",
      ])
    #expect(subscriber.kinds == ["subscription", "1", "2", "finished"])
    #expect(source.requests == [.max(1), .unlimited])
  }

  @Test("receiveCancel runs for the first cancel of a stream that has not ended")
  func cancel() {
    let log = Recording<String>()
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>(demand: .none)
    watched(source, log).subscribe(subscriber)
    subscriber.cancel()
    subscriber.cancel()
    subscriber.request(.max(1))
    #expect(log.elements == ["subscription", "cancel"])
  }

  @Test("receiveCancel does not run after the end")
  func cancelAfterEnd() {
    let log = Recording<String>()
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>(demand: .none)
    watched(source, log).subscribe(subscriber)
    source.send(completion: .failure(.first))
    subscriber.cancel()
    subscriber.request(.max(1))
    #expect(log.elements == ["subscription", "completion"])
  }

  @Test("C-4: a cancel inside receiveCompletion suppresses the end")
  func cancelInCompletion() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>()
    source.handleEvents(receiveCompletion: { _ in subscriber.cancel() }).subscribe(subscriber)
    source.send(completion: .finished)
    #expect(subscriber.completion == nil)
  }

  @Test("handleEvents without closures changes nothing")
  func nothing() {
    let subscriber = TestSubscriber<Int, Never>()
    [1, 2].publisher.handleEvents().subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1", "2", "finished"])
  }
}
