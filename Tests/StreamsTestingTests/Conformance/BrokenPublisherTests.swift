import Streams
import StreamsTesting
import Testing

@Suite("The conformance kit finds what publishers do wrong", .leakFree)
struct BrokenPublisherTests {
  typealias Fault = BrokenSource.Fault

  private static let faults: [(Fault, ConformanceRule)] = [
    (.silent, .progress),
    (.startsWithValue, .subscriptionFirst),
    (.noSubscription, .subscriptionFirst),
    (.secondSubscription, .oneSubscription),
    (.valueAfterEnd, .nothingAfterEnd),
    (.secondEnd, .nothingAfterEnd),
    (.ignoresDemand, .demand),
    (.forgetsEarlierDemand, .demandAddsUp),
    (.ignoresReturnedDemand, .demandAddsUp),
    (.overflows, .demandSaturates),
    (.servesNone, .noneIsNothing),
    (.deliversAfterCancel, .finalCancel),
    (.deliversAfterCancel, .cancelElsewhere),
    (.finishesAfterCancel, .finalCancel),
    (.servesAfterEnd, .repeatedCalls),
    (.recursion, .constantStack),
    (.nestedSignals, .serial),
    (.locksWhileDelivering, .noLockHeld),
    (.keepsSubscriber, .release),
    (.sharesPosition, .independence),
  ]

  @Test("A publisher without a fault passes")
  func sound() async throws {
    let report = try await PublisherConformance { BrokenSource(count: $0.count, fault: .none) }
      .check()
    let ofPublishers = ConformanceRule.allCases.prefix { $0 != .upstreamDemand }
    #expect(report.kept == ofPublishers.filter { $0 != .endNeedsNoDemand })
  }

  @Test("A publisher with a fault is told of it, by the rule", arguments: faults)
  func broken(fault: Fault, rule: ConformanceRule) async {
    // Who hangs is known to; the others have all the time they need on a busy machine.
    let patience = fault == .locksWhileDelivering ? Duration.milliseconds(200) : .seconds(20)
    let report = await PublisherConformance(traits: ConformanceTraits(patience: patience)) {
      BrokenSource(count: $0.count, fault: fault)
    }.report()
    #expect(report.broken.contains(rule), "\(report)")
    #expect(!report.kept.contains(rule))
  }

  @Test("An end that waits for a demand is found")
  func endHeldBack() async {
    let report = await PublisherConformance { _ in BrokenSource(count: 0, fault: .holdsEndBack) }
      .report()
    #expect(report.broken == [.endNeedsNoDemand], "\(report)")
  }

  @Test("Work that is done where the publisher is made is found")
  func eager() async {
    let report = await PublisherConformance { rig in
      rig.touch()
      return rig.values.publisher
    }.report()
    #expect(report.broken == [.laziness], "\(report)")
  }
}
