import StreamsFixtures
import StreamsTesting
import Testing

@testable import Streams

@Suite("Common behavior of subjects", .leakFree)
struct SubjectCoreTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("A memory counts the positions of its values, and one that keeps nothing has none")
  func memories() {
    var nothing = NoMemory<Int>()
    nothing.append(1)
    #expect(nothing.start == 0 && nothing.end == 0)
    var latest = LatestValue(0)
    latest.append(1)
    #expect(latest.start == 1 && latest.end == 2)
    var some = LatestValues<Int>(limit: 2)
    for value in 0..<3 {
      some.append(value)
      some.trim()
    }
    #expect(some.start == 1 && some.end == 3)
    let areReadable = [
      NoMemory<Int>.isReadable, LatestValue<Int>.isReadable, LatestValues<Int>.isReadable,
    ]
    #expect(areReadable == [false, true, false])
  }

  @Test("A bound that fails the subject also works if the value can be read")
  func readableBound() {
    let core = SubjectCore<LatestValue<Int>, TestError>(
      memory: LatestValue(0), bound: SubjectBound(size: 1, whenFull: .customError { .second }))
    let subscriber = Subscriber { _, value in
      if value == 1 {
        core.send(2)
        core.send(3)
      }
      return .none
    }
    core.attach(subscriber)
    core.send(1)
    #expect(subscriber.values == [0, 1, 2])
    #expect(subscriber.failure == .second)
  }

  @Test("C-9: a value sent or set after an end inside a delivery reaches no subscriber")
  func behindEnd() {
    let subject = CurrentValueSubject<Int, TestError>(0)
    let first = Subscriber { _, value in
      if value == 1 {
        subject.send(completion: .finished)
        subject.send(2)
        subject.value = 3
      }
      return .none
    }
    let second = Subscriber()
    for subscriber in [first, second] { subject.subscribe(subscriber) }
    subject.send(1)
    for subscriber in [first, second] {
      #expect(subscriber.kinds == ["subscription", "0", "1", "finished"])
      #expect(subscriber.overlaps == 0)
    }
    #expect(subject.value == 3)
  }

  @Test("C-7: subscribers that left or received the end have no place")
  func places() {
    let passing = PassthroughSubject<Int, Never>()
    for _ in 0..<40 { passing.sink { _ in }.cancel() }
    #expect(passing.core.audience.state.pointee.entries.isEmpty)

    let ended = ReplaySubject<Int, TestError>(bufferSize: 1)
    ended.subscribe(Subscriber())
    ended.send(1)
    ended.send(completion: .finished)
    #expect(ended.core.audience.state.pointee.entries.isEmpty)
    let late = Subscriber()
    ended.subscribe(late)
    #expect(late.kinds == ["subscription", "1", "finished"])
    #expect(ended.core.audience.state.pointee.entries.isEmpty)
    let slow = Subscriber(demand: .none)
    ended.subscribe(slow)
    #expect(ended.core.audience.state.pointee.entries.count == 1)
    slow.request(.max(1))
    #expect(slow.kinds == ["subscription", "1", "finished"])
    #expect(ended.core.audience.state.pointee.entries.isEmpty)
  }
}
