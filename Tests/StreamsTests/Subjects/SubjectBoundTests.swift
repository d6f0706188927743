import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("A subject's inbox and its bound", .leakFree)
struct SubjectBoundTests {
  /// Returns the received values if the first value's delivery sends nine more.
  private func values<Tested: Subject<Int, TestError>>(_ subject: Tested) -> TestSubscriber<
    Int, TestError
  > {
    let subscriber = TestSubscriber<Int, TestError> { _, value in
      if value == 1 { for next in 2...10 { subject.send(next) } }
      return .none
    }
    subject.subscribe(subscriber)
    subject.send(1)
    return subscriber
  }

  @Test("Without a bound all values sent during a delivery wait")
  func unbounded() {
    #expect(values(PassthroughSubject()).values == Array(1...10))
    #expect(values(ReplaySubject(bufferSize: 1)).values == Array(1...10))
  }

  @Test("With a bound the subject drops the newest value or the oldest one, or fails")
  func bounded() {
    #expect(values(PassthroughSubject(inboxSize: 3, whenFull: .dropNewest)).values == [1, 2, 3, 4])
    #expect(
      values(PassthroughSubject(inboxSize: 3, whenFull: .dropOldest)).values == [1, 8, 9, 10])
    let failing = values(PassthroughSubject(inboxSize: 3, whenFull: .customError { .second }))
    #expect(failing.values == [1, 2, 3, 4])
    #expect(failing.failure == .second)
    let replaying = values(ReplaySubject(bufferSize: 9, inboxSize: 2, whenFull: .dropOldest))
    #expect(replaying.values == [1, 9, 10])
    #expect(values(PassthroughSubject(inboxSize: 0, whenFull: .dropOldest)).values == [1, 10])
  }

  @Test("A bounded CurrentValueSubject delivers the latest values sent and can be read")
  func currentValue() {
    let subject = CurrentValueSubject<Int, TestError>(0, inboxSize: 1)
    let subscriber = values(subject)
    #expect(subscriber.values == [0, 1, 10])
    #expect(subject.value == 10)
  }

  @Test("The bound counts waiting values, not sent ones")
  func drains() {
    let subject = PassthroughSubject<Int, TestError>(inboxSize: 1, whenFull: .dropNewest)
    let subscriber = TestSubscriber<Int, TestError> { _, value in
      if value < 1_000 { subject.send(value + 1) }
      return .none
    }
    subject.subscribe(subscriber)
    subject.send(1)
    #expect(subscriber.values == Array(1...1_000))
  }

  @Test("Waiting subscribers, cancels and the end are never dropped")
  func others() {
    let subject = PassthroughSubject<Int, TestError>(inboxSize: 1, whenFull: .dropOldest)
    let late = TestSubscriber<Int, TestError>()
    let first = TestSubscriber<Int, TestError> { _, value in
      if value == 1 {
        subject.send(2)
        subject.subscribe(late)
        subject.send(3)
        subject.send(completion: .finished)
      }
      return .none
    }
    subject.subscribe(first)
    subject.send(1)
    #expect(first.values == [1, 3])
    #expect(late.values == [3])
    #expect(first.isFinished && late.isFinished)
  }

  @Test("C-6: a dropped value is released without the lock")
  func release() {
    for strategy in [Publishers.BufferingStrategy<Never>.dropNewest, .dropOldest] {
      let subject = PassthroughSubject<ReleaseProbe, Never>(inboxSize: 1, whenFull: strategy)
      let count = Tally()
      let subscriber = TestSubscriber<Int, Never> { _, value in
        if value == 1 {
          for _ in 1...3 { subject.send(ReleaseProbe { subject.send(ReleaseProbe()) }) }
        }
        return .none
      }
      subject.map { _ in count.add() }.subscribe(subscriber)
      subject.send(ReleaseProbe())
      #expect(subscriber.values.count >= 2)
    }
  }

  @Test("The subject drops the oldest waiting value, not an earlier subscriber")
  func oldestValue() {
    let subject = PassthroughSubject<Int, TestError>(inboxSize: 1, whenFull: .dropOldest)
    let late = TestSubscriber<Int, TestError>()
    let first = TestSubscriber<Int, TestError> { _, value in
      if value == 1 {
        subject.subscribe(late)
        subject.send(2)
        subject.send(3)
      }
      return .none
    }
    subject.subscribe(first)
    subject.send(1)
    #expect(first.values == [1, 3])
    #expect(late.values == [3])
    subject.send(completion: .finished)
  }
}
