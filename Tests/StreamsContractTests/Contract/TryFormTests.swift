import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Common behavior of the try operators", .leakFree)
struct TryFormTests {
  typealias Form = TryForm<TestError>

  static let refusingThree: Form.Check = { (value: Int) throws(TestError) in
    if value == 3 { throw .third }
  }

  @Test("A closure's error ends the stream as any Error", arguments: Form.all)
  func untyped(form: Form) {
    let played = form.untyped(finishing(1, 2, 3, 4).eraseToAnyPublisher(), Self.refusingThree)
      .played()
    #expect(played.last == "failure third")
  }

  @Test("A closure's error ends the stream with the stream's own failure type", arguments: Form.all)
  func typed(form: Form) {
    let played = form.typed(finishing(1, 2, 3, 4).eraseToAnyPublisher(), Self.refusingThree)
      .played()
    #expect(played.last == "failure third")
  }

  @Test("A stream that cannot fail takes the error type of the closure", arguments: Form.all)
  func fromNever(form: Form) {
    let played = form.fromNever([1, 2, 3].publisher.eraseToAnyPublisher(), Self.refusingThree)
      .played()
    #expect(played.last == "failure third")
    let passing = form.fromNever([1, 2].publisher.eraseToAnyPublisher(), Self.refusingThree)
    #expect(passing.played().last == "finished")
  }

  @Test("The upstream's failure is passed on", arguments: Form.all)
  func upstreamFailure(form: Form) {
    let source = failing(1, 2, with: .second).eraseToAnyPublisher()
    #expect(form.typed(source, Self.refusingThree).played().last == "failure second")
    #expect(form.untyped(source, Self.refusingThree).played().last == "failure second")
  }

  @Test(
    "A closure that throws cancels the upstream once and is not called again", arguments: Form.all)
  func cancelsUpstream(form: Form) {
    let source = TestPublisher<Int, TestError>()
    let seen = Tally()
    let subscriber = TestSubscriber<String, TestError>()
    form.typed(source.eraseToAnyPublisher()) { (value: Int) throws(TestError) in
      seen.add()
      if value == 3 { throw .third }
    }.subscribe(subscriber)
    for value in [1, 2, 3] { source.send(value) }
    #expect(subscriber.failure == .third)
    #expect(source.cancelCount == 1)
    let before = seen.count
    source.send(4)
    #expect(seen.count == before)
    #expect(subscriber.completions.count == 1)
  }

  @Test("C-7: a closure that throws is released with the objects it holds", arguments: Form.all)
  func release(form: Form) {
    let source = TestPublisher<Int, TestError>()
    let keeper = SubscriptionKeeper()
    let probe: Weak<ReleaseProbe>
    do {
      let object = ReleaseProbe()
      probe = Weak(object)
      form.typed(source.eraseToAnyPublisher()) { (value: Int) throws(TestError) in
        object.touch()
        if value == 3 { throw .third }
      }.subscribe(KeptSubscriber<String, TestError>(keeper: keeper))
    }
    source.send(1)
    source.send(2)
    #expect(!probe.isReleased)
    source.send(3)
    #expect(probe.isReleased)
    #expect(keeper.subscription != nil)
  }

  @Test("C-8: closures that may throw run only after a subscription", arguments: Form.all)
  func lazy(form: Form) {
    let seen = Tally()
    let chain = form.typed(finishing(1, 2, 3).eraseToAnyPublisher()) {
      (_: Int) throws(TestError) in seen.add()
    }
    #expect(seen.count == 0)
    _ = chain.played()
    let once = seen.count
    #expect(once > 0)
    _ = chain.played()
    #expect(seen.count == 2 * once)
  }

  @Test(
    "C-4: a cancel from inside a closure is final, even if the closure then throws",
    arguments: Form.all,
    [true, false])
  func cancelInside(form: Form, isThrowing: Bool) {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<String, TestError>()
    form.typed(source.eraseToAnyPublisher()) { (value: Int) throws(TestError) in
      guard value == 2 else { return }
      subscriber.cancel()
      if isThrowing { throw .third }
    }.subscribe(subscriber)
    source.send(1)
    let before = subscriber.values
    source.send(2)
    #expect(subscriber.values == before)
    #expect(subscriber.completion == nil)
    #expect(source.cancelCount == 1)
  }
}
