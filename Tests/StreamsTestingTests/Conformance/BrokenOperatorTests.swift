import Dispatch
import Streams
import StreamsTesting
import Testing

@Suite("The conformance kit finds what operators do wrong", .leakFree)
struct BrokenOperatorTests {
  private static let faults: [(StageFault, ConformanceRule)] = [
    (.asksForEverything, .upstreamDemand),
    (.asksForEach, .upstreamCost),
    (.forwardsEachCancel, .upstreamCancel),
    (.endsWithoutCancel, .earlyEnd),
    (.cancelsAfterEnd, .silenceAfterEnd),
    (.swallowsFailure, .failure),
    (.swallowsFailure, .failureAtOnce),
    (.holdsFailureBack, .failure),
    (.holdsFailureBack, .failureAtOnce),
    (.keepsSecondSubscription, .secondSubscription),
    (.ignoresTheEnd, .valueAfterEnd),
    (.ignoresTheEnd, .secondEnd),
    (.dropsSilently, .valueAfterEnd),
    (.dropsSilently, .secondEnd),
    (.dropsSilently, .secondSubscription),
    (.deafToCancel, .strayAfterCancel),
    (.earlyValues, .beforeSubscription),
    (.keepsUpstream, .release),
    (.forgetsContext, .passedContext),
  ]

  @Test("An operator without a fault passes")
  func sound() async throws {
    let report = try await OperatorConformance { upstream, _ in upstream.broken(.none) }.check()
    let ofMeetings: Set<ConformanceRule> = [
      .earlyEnd, .oneConnection, .hopOrder, .hopDemand, .hopCancel, .oneOrder,
    ]
    #expect(report.kept == ConformanceRule.allCases.filter { !ofMeetings.contains($0) })
  }

  @Test("An operator with a fault is told of it, by the rule", arguments: faults)
  func broken(fault: StageFault, rule: ConformanceRule) async {
    let report = await OperatorConformance { upstream, _ in upstream.broken(fault) }.report()
    #expect(report.broken.contains(rule), "\(report)")
    #expect(!report.kept.contains(rule))
  }

  @Test("An operator that reports another rule than was broken, or a late signal, is told of it")
  func misreport() async {
    let report = await OperatorConformance { upstream, _ in upstream.broken(.misreports) }.report()
    #expect(
      report.broken == [
        .secondSubscription, .valueAfterEnd, .secondEnd, .beforeSubscription, .strayAfterCancel,
      ],
      "\(report)")
    #expect(report.findings.allSatisfy { $0.seen.contains("from inside another") }, "\(report)")
  }

  @Test("An operator that ends only when it is told so twice is told of it")
  func lostEnd() async {
    let report = await OperatorConformance { upstream, _ in
      upstream.broken(.losesFirstEnd)
    }.report()
    let finding = report.findings.first { $0.rule == .secondEnd }
    #expect(finding?.expected == "no end", "\(report)")
    #expect(finding?.seen.hasPrefix("failure") == true)
  }

  @Test("An operator that shares its upstream with its first subscriber only is found")
  func sharedWithOne() async {
    let report = await OperatorConformance(traits: ConformanceTraits(isShared: true)) {
      upstream, _ in
      OnlyOnce(upstream: upstream)
    }.report()
    let finding = report.findings.first { $0.rule == .oneConnection }
    #expect(finding?.expected == "the value reaches both subscribers", "\(report)")
  }

  @Test("An operator that counts demand, and sends more than that, is found")
  func excess() async {
    let report = await OperatorConformance(traits: ConformanceTraits(demand: .own)) { upstream, _ in
      upstream.broken(.none)
    }.report()
    #expect(report.broken == [.excess], "\(report)")
  }

  @Test("An operator that subscribes its upstream when it is made is found")
  func eager() async {
    let report = await OperatorConformance { upstream, _ in
      upstream.subscribe(TestSubscriber(demand: .none))
      return upstream.broken(.none)
    }.report()
    #expect(report.broken.contains(.laziness), "\(report)")
  }

  @Test("An operator that is to share its upstream, and does not, is found")
  func unshared() async {
    let report = await OperatorConformance(traits: ConformanceTraits(isShared: true)) {
      upstream, _ in
      upstream.broken(.none)
    }.report()
    #expect(report.broken == [.oneConnection], "\(report)")
  }

  @Test("An operator that calls its closure with a lock held is found")
  func lockHeld() async {
    let report = await OperatorConformance(traits: ConformanceTraits(patience: .milliseconds(200)))
    {
      upstream, rig in
      let gate = Turnstile()
      return upstream.scan(0) { sum, value in
        gate.pass { rig.touch() }
        return sum + value
      }
    }.report()
    #expect(report.broken.contains(.noLockHeld), "\(report)")
  }
}

/// Passes its upstream on to its first subscriber; the others hear nothing.
private final class OnlyOnce<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  private let upstream: Upstream
  private let isTaken = Lock(false)

  init(upstream: Upstream) {
    self.upstream = upstream
  }

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let isFirst = isTaken.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
    if isFirst {
      upstream.receive(subscriber: subscriber)
    } else {
      subscriber.receive(subscription: Subscriptions.empty)
    }
  }
}

/// Lets one caller in at a time, and waits for it: a lock around a call of user code.
private final class Turnstile: Sendable {
  private let semaphore = DispatchSemaphore(value: 1)

  func pass(_ body: () -> Void) {
    semaphore.wait()
    body()
    semaphore.signal()
  }
}
