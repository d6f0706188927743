import Dispatch
import Streams
import StreamsTesting
import Testing

// What the kit says of a fault beside its rule. ConformanceMutant has the table of all faults.
@Suite("The conformance kit finds faults of operators", .leakFree)
struct BrokenOperatorTests {
  @Test("An operator without a fault passes")
  func sound() async throws {
    let report = try await OperatorConformance { upstream, _ in upstream.broken(.none) }.check()
    let ofMeetings: Set<ConformanceRule> = [
      .earlyEnd, .oneConnection, .hopOrder, .hopDemand, .hopCancel, .oneOrder,
    ]
    #expect(report.kept == ConformanceRule.allCases.filter { !ofMeetings.contains($0) })
  }

  @Test("The kit finds an operator that reports the wrong rule or a late signal")
  func misreport() async {
    let report = await OperatorConformance { upstream, _ in upstream.broken(.misreports) }.report()
    #expect(
      report.broken == [
        .secondSubscription, .valueAfterEnd, .secondEnd, .beforeSubscription, .strayAfterCancel,
      ],
      "\(report)")
    #expect(report.findings.allSatisfy { $0.seen.contains("from inside another") }, "\(report)")
  }

  @Test("The kit finds an operator that ends only after a second end")
  func lostEnd() async {
    let report = await OperatorConformance { upstream, _ in
      upstream.broken(.losesFirstEnd)
    }.report()
    let finding = report.findings.first { $0.rule == .secondEnd }
    #expect(finding?.expected == "no end", "\(report)")
    #expect(finding?.seen.hasPrefix("failure") == true)
  }

  @Test("The kit finds an operator that shares its upstream only with the first subscriber")
  func sharedWithOne() async {
    let report = await OperatorConformance(traits: ConformanceTraits(isShared: true)) {
      upstream, _ in
      OnlyOnce(upstream: upstream)
    }.report()
    let finding = report.findings.first { $0.rule == .oneConnection }
    #expect(finding?.expected == "the value reaches both subscribers", "\(report)")
  }

  @Test("The kit finds an operator that counts demand and exceeds it")
  func excess() async {
    let report = await OperatorConformance(traits: ConformanceTraits(demand: .own)) { upstream, _ in
      upstream.broken(.none)
    }.report()
    #expect(report.broken == [.excess], "\(report)")
  }

  @Test("The kit finds an operator that should share its upstream and does not")
  func unshared() async {
    let report = await OperatorConformance(traits: ConformanceTraits(isShared: true)) {
      upstream, _ in
      upstream.broken(.none)
    }.report()
    #expect(report.broken == [.oneConnection], "\(report)")
  }

  @Test("The kit finds an operator that calls its closure under a lock")
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

/// Lets one caller in at a time, and waits for it: a lock around a call of user code.
private final class Turnstile: Sendable {
  private let semaphore = DispatchSemaphore(value: 1)

  func pass(_ body: () -> Void) {
    semaphore.wait()
    body()
    semaphore.signal()
  }
}
