import Dispatch
import Streams
import StreamsTesting
import Testing

@Suite("The conformance kit finds what hops and subjects do wrong", .leakFree)
struct BrokenMeetingTests {
  @Test("A hop with a job for each value is found")
  func naiveHop() async {
    let report = await HopConformance { NaiveHop(upstream: $0, scheduler: $1) }.report()
    #expect(
      Set(report.broken).isSuperset(of: [.hopOrder, .hopDemand, .hopCancel]), "\(report)")
  }

  @Test("What is no hop at all is found")
  func noHop() async {
    let report = await HopConformance { upstream, _ in upstream.map { $0 } }.report()
    #expect(report.broken == [.hopOrder], "\(report)")
  }

  @Test("A subject that sends to one subscriber after another, at once, is found")
  func naiveSubject() async {
    let report = await SubjectConformance { NaiveSubject() }.report()
    #expect(
      Set(report.broken).isSuperset(of: [
        .oneOrder, .serial, .constantStack, .demand, .release, .endNeedsNoDemand, .finalCancel,
        .nothingAfterEnd, .upstreamDemand,
      ]), "\(report)")
  }

  @Test("A subject that holds a lock while it sends is found")
  func lockedSubject() async {
    let report = await SubjectConformance(patience: .milliseconds(200)) {
      NaiveSubject(isLocked: true)
    }
    .report()
    #expect(report.broken.contains(.noLockHeld), "\(report)")
  }
}

/// Schedules each signal by itself.
private struct NaiveHop<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let scheduler: any Scheduler

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let scheduler = scheduler
    upstream.receive(
      subscriber: AnySubscriber<Output, Failure>(
        receiveSubscription: { subscriber.receive(subscription: $0) },
        receiveValue: { value in
          scheduler.schedule { _ = subscriber.receive(value) }
          return .none
        },
        receiveCompletion: { end in scheduler.schedule { subscriber.receive(completion: end) } }))
  }
}

/// Keeps a list of subscribers and calls each.
private final class NaiveSubject: Subject {
  typealias Output = Int
  typealias Failure = ConformanceError

  private let subscribers = Lock<[AnySubscriber<Int, ConformanceError>]>([])
  private let turnstile: DispatchSemaphore?

  init(isLocked: Bool = false) {
    turnstile = isLocked ? DispatchSemaphore(value: 1) : nil
  }

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Int, Downstream.Failure == ConformanceError {
    subscribers.withLock { $0.append(AnySubscriber(subscriber)) }
    subscriber.receive(subscription: Subscriptions.empty)
  }

  func send(_ value: Int) {
    turnstile?.wait()
    for subscriber in subscribers.withLock({ $0 }) { _ = subscriber.receive(value) }
    turnstile?.signal()
  }

  func send(completion: Subscribers.Completion<ConformanceError>) {
    for subscriber in subscribers.withLock({ $0 }) { subscriber.receive(completion: completion) }
  }

  func send(subscription: any Subscription) {}
}
