import Dispatch
import Streams
import StreamsTesting
import Testing

@Suite("The conformance kit finds faults of hops and subjects", .leakFree)
struct BrokenMeetingTests {
  @Test("The kit finds a hop with a job for each value")
  func naiveHop() async {
    let report = await HopConformance { NaiveHop(upstream: $0, scheduler: $1) }.report()
    #expect(
      Set(report.broken).isSuperset(of: [.hopOrder, .hopDemand, .hopCancel]), "\(report)")
  }

  @Test("The kit finds a publisher that is not a hop")
  func noHop() async {
    let report = await HopConformance { upstream, _ in upstream.map { $0 } }.report()
    #expect(report.broken == [.hopOrder], "\(report)")
  }

  @Test("The kit finds a hop that requests more than its downstream or loses the end")
  func greedyHop() async {
    let greedy = await HopConformance { NaiveHop(upstream: $0, scheduler: $1, fault: .asksForAll) }
      .report()
    let demand = greedy.findings.first { $0.rule == .hopDemand }
    #expect(demand?.expected == "three values requested from the upstream", "\(greedy)")
    let endless = await HopConformance { NaiveHop(upstream: $0, scheduler: $1, fault: .losesEnd) }
      .report()
    let order = endless.findings.first { $0.rule == .hopOrder }
    #expect(order?.seen.hasSuffix("no end") == true, "\(endless)")
  }

  @Test("The kit finds a subject that calls its subscribers directly, one after the other")
  func naiveSubject() async {
    let report = await SubjectConformance { NaiveSubject() }.report()
    #expect(
      Set(report.broken).isSuperset(of: [
        .oneOrder, .serial, .constantStack, .demand, .release, .endNeedsNoDemand, .finalCancel,
        .nothingAfterEnd, .upstreamDemand,
      ]), "\(report)")
  }

  @Test(
    "The kit reports the one fault of an otherwise correct subject",
    arguments: [
      (.losesEnd, .progress, "no end"), (.losesSubscription, .oneSubscription, "0"),
      (.overflows, .demandSaturates, "none"), (.cancelsAll, .independence, "1"),
      (.locksOthersOut, .noLockHeld, "they did not return in time"),
    ] as [(SpoiledSubject.Fault, ConformanceRule, String)])
  func spoiled(fault: SpoiledSubject.Fault, rule: ConformanceRule, seen: String) async {
    let patience = fault == .locksOthersOut ? Duration.seconds(1) : .seconds(20)
    let report = await SubjectConformance(patience: patience) { SpoiledSubject(fault) }.report()
    let findings = report.findings.filter { $0.rule == rule }
    #expect(findings.contains { $0.seen.hasSuffix(seen) }, "\(report)")
  }

  @Test("The kit finds a subject that holds a lock while it sends")
  func lockedSubject() async {
    let report = await SubjectConformance(patience: .milliseconds(200)) {
      NaiveSubject(isLocked: true)
    }
    .report()
    #expect(report.broken.contains(.noLockHeld), "\(report)")
  }
}

/// Schedules each signal by itself.
struct NaiveHop<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  /// A further fault.
  enum Fault {
    case none, asksForAll, losesEnd
  }

  let upstream: Upstream
  let scheduler: any Scheduler
  var fault = Fault.none

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let (scheduler, fault) = (scheduler, fault)
    upstream.receive(
      subscriber: AnySubscriber<Output, Failure>(
        receiveSubscription: { subscription in
          subscriber.receive(subscription: subscription)
          if fault == .asksForAll { subscription.request(.unlimited) }
        },
        receiveValue: { value in
          scheduler.schedule { _ = subscriber.receive(value) }
          return .none
        },
        receiveCompletion: { end in
          if fault != .losesEnd { scheduler.schedule { subscriber.receive(completion: end) } }
        }))
  }
}

/// Keeps a list of subscribers and calls each.
final class NaiveSubject: Subject {
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
