import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("sink and Sink", .leakFree)
struct SinkTests {
  @Test("sink requests everything and takes the values and the end")
  func both() {
    let heard = Recording<String>()
    let source = TestPublisher<Int, TestError>()
    let cancellable = source.sink(
      receiveCompletion: { heard.add("\($0 == .failure(.first))") },
      receiveValue: { heard.add("\($0)") })
    #expect(source.requests == [.unlimited])
    source.send(1)
    source.send(2)
    source.send(completion: .failure(.first))
    #expect(heard.elements == ["1", "2", "true"])
    withExtendedLifetime(cancellable) {}
  }

  @Test("sink(receiveResult:) takes values and the failure, and not the end")
  func result() {
    let heard = Recording<Result<Int, TestError>>()
    _ = Just(1).setFailureType(to: TestError.self).append(.second)
      .sink { (result: Result<Int, TestError>) in heard.add(result) }
    #expect(heard.elements == [.success(1), .failure(.second)])
    _ = Just(2).setFailureType(to: TestError.self)
      .sink { (result: Result<Int, TestError>) in heard.add(result) }
    #expect(heard.elements == [.success(1), .failure(.second), .success(2)])
  }

  @Test("sink(receiveValue:) takes the values of a stream that cannot fail")
  func values() {
    let heard = Recording<Int>()
    _ = [1, 2, 3].publisher.sink { heard.add($0) }
    #expect(heard.elements == [1, 2, 3])
  }

  @Test("P17: dropping what sink returns cancels at once")
  func dropped() {
    let source = TestPublisher<Int, Never>()
    _ = source.sink { _ in }
    #expect(source.cancelCount == 1)
  }

  @Test("C-4: cancelling a sink from inside its closure is final")
  func cancelInside() {
    let heard = Recording<Int>()
    let cancellable = Box<AnyCancellable>()
    let source = TestPublisher<Int, Never>()
    cancellable.set(
      source.sink(
        receiveCompletion: { _ in heard.add(-1) },
        receiveValue: { value in
          heard.add(value)
          cancellable.value?.cancel()
        }))
    source.send(1)
    source.send(2)
    source.send(completion: .finished)
    #expect(heard.elements == [1])
  }

  @Test("A Sink object takes a publisher's signals once it is subscribed")
  func object() {
    let heard = Recording<String>()
    let sink = Subscribers.Sink<Int, TestError>(
      receiveCompletion: { heard.add("\($0 == .finished)") }, receiveValue: { heard.add("\($0)") })
    [1, 2].publisher.setFailureType(to: TestError.self).subscribe(sink)
    #expect(heard.elements == ["1", "2", "true"])
  }

  @Test("C-4: a cancelled Sink object receives nothing more and cancels its upstream")
  func cancelObject() {
    let heard = Recording<Int>()
    let source = TestPublisher<Int, TestError>()
    let sink = Subscribers.Sink<Int, TestError>(
      receiveCompletion: { _ in heard.add(-1) }, receiveValue: { heard.add($0) })
    source.subscribe(sink)
    source.send(1)
    sink.cancel()
    #expect(source.cancelCount == 1)
    _ = sink.receive(2)
    sink.receive(completion: .finished)
    #expect(heard.elements == [1])
  }

  @Test("C-4: a Sink object cancelled before it is subscribed cancels the subscription")
  func cancelBefore() {
    let source = TestPublisher<Int, TestError>()
    let sink = Subscribers.Sink<Int, TestError>(receiveCompletion: { _ in }, receiveValue: { _ in })
    sink.cancel()
    let reported = violations { source.subscribe(sink) }
    #expect(source.cancelCount == 1)
    #expect(source.requests.isEmpty)
    #expect(reported.isEmpty)
  }

  @Test(
    "C-7: a Sink object releases its closures at the end and at a cancel", arguments: [true, false])
  func release(byCancel: Bool) {
    let source = TestPublisher<Int, TestError>()
    let probe: Weak<ReleaseProbe>
    let sink: Subscribers.Sink<Int, TestError>
    do {
      let object = ReleaseProbe()
      probe = Weak(object)
      sink = Subscribers.Sink(
        receiveCompletion: { _ in object.touch() }, receiveValue: { _ in object.touch() })
    }
    source.subscribe(sink)
    #expect(!probe.isReleased)
    if byCancel { sink.cancel() } else { source.send(completion: .finished) }
    #expect(probe.isReleased)
    withExtendedLifetime(sink) {}
  }

  @Test("C-5: a Sink object takes very many values")
  func manyValues() {
    let seen = Tally()
    #expect(
      runsOnSmallStack {
        let sink = Subscribers.Sink<Int, Never>(
          receiveCompletion: { _ in }, receiveValue: { _ in seen.add() })
        (0..<manyTimes).publisher.subscribe(sink)
      })
    #expect(seen.count == manyTimes)
  }

  @Test("C-15: a Sink object reports values after the end and cancels a second subscription")
  func contractViolations() {
    let second = CountingSubscription()
    let reported = violations {
      let source = TestPublisher<Int, TestError>()
      let sink = Subscribers.Sink<Int, TestError>(
        receiveCompletion: { _ in }, receiveValue: { _ in })
      source.subscribe(sink)
      source.sendSubscription(second)
      source.send(completion: .finished, forgetting: false)
      source.send(1)
      source.send(completion: .finished)
    }
    #expect(reported.map(\.rule) == [.secondSubscription, .valueAfterEnd, .secondEnd])
    #expect(second.cancels.count == 1)
  }
}
