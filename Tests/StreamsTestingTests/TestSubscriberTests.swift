import Dispatch
import Foundation
import Streams
import StreamsTesting
import Testing

@Suite("TestSubscriber", .leakFree)
struct TestSubscriberTests {
  typealias Subscriber = TestSubscriber<Int, Never>

  @Test("The subscriber records demand, requested or returned, and the outstanding demand")
  func demand() {
    let subscriber = Subscriber(demand: .max(2)) { _, value in value == 1 ? .max(3) : .none }
    #expect(subscriber.openDemand == .none)
    subscriber.request(.max(9))
    let source = TestPublisher<Int, Never>()
    source.subscribe(subscriber)
    #expect(subscriber.requests == [.max(2)], "without a subscription there is nobody to ask")
    #expect(subscriber.openDemand == .max(2))
    source.send(1)
    source.send(2)
    subscriber.request(.max(4))
    #expect(subscriber.requests == [.max(2), .max(4)])
    #expect(subscriber.requests == source.requests)
    #expect(subscriber.grants == [.max(3), .none])
    #expect(subscriber.openDemand == .max(7))
    #expect(subscriber.unaskedCount == 0)
  }

  @Test("C-3: the subscriber counts values without demand")
  func unasked() {
    let subscriber = Subscriber(demand: .max(1))
    let source = TestPublisher<Int, Never>()
    source.subscribe(subscriber)
    for value in 1...3 { source.send(value) }
    #expect(subscriber.values == [1, 2, 3])
    #expect(subscriber.unaskedCount == 2)
    subscriber.request(.max(1))
    source.send(4)
    #expect(subscriber.unaskedCount == 2)
  }

  @Test("The subscriber records the thread of each signal")
  func origins() async {
    let subscriber = Subscriber()
    let subject = PassthroughSubject<Int, Never>()
    let isDone = DispatchSemaphore(value: 0)
    let thread = await withCheckedContinuation { continuation in
      Thread {
        subject.subscribe(subscriber)
        subject.send(1)
        continuation.resume(returning: SignalOrigin.current)
        // It stays until the other has sent: then the two cannot have one number.
        isDone.wait()
      }.start()
    }
    let other = await withCheckedContinuation { continuation in
      Thread {
        subject.send(completion: .finished)
        continuation.resume(returning: SignalOrigin.current)
      }.start()
    }
    isDone.signal()
    #expect(subscriber.origins == [thread, thread, other])
    #expect(thread != other)
    #expect("\(thread)" == "thread \(thread.thread)")
  }

  @Test("C-1: the subscriber detects a signal during another one, on a thread or nested")
  func overlaps() {
    let source = TestPublisher<Int, Never>()
    let nested = Subscriber { _, value in
      if value == 1 { source.send(2) }
      return .none
    }
    source.subscribe(nested)
    source.send(1)
    #expect(nested.overlaps == 1)
    nested.cancel()
    let other = TestPublisher<Int, Never>()
    let threaded = Subscriber { _, value in
      guard value == 1 else { return .none }
      let done = DispatchSemaphore(value: 0)
      Thread {
        other.send(2)
        done.signal()
      }.start()
      done.wait()
      return .none
    }
    other.subscribe(threaded)
    other.send(1)
    other.send(3)
    #expect(threaded.overlaps == 1)
    #expect(threaded.values == [1, 2, 3])
  }

  @Test("A publisher subscribes its test subscriber in one line, with a demand")
  func oneLine() {
    let values = [1, 2, 3].publisher.testSubscriber()
    #expect(values.values == [1, 2, 3])
    #expect(values.isFinished)
    let limited = [1, 2, 3].publisher.testSubscriber(demand: .max(2))
    #expect(limited.values == [1, 2])
    #expect(limited.requests == [.max(2)])
  }
}
