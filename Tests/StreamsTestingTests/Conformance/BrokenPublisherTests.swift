import Streams
import StreamsTesting
import Testing

// What the kit says of a fault beside its rule. ConformanceMutant has the table of all faults.
@Suite("The conformance kit finds faults of publishers", .leakFree)
struct BrokenPublisherTests {
  @Test("A publisher without a fault passes")
  func sound() async throws {
    let report = try await PublisherConformance { BrokenSource(count: $0.count, fault: .none) }
      .check()
    let ofPublishers = ConformanceRule.allCases.prefix { $0 != .upstreamDemand }
    #expect(report.kept == ofPublishers.filter { $0 != .endNeedsNoDemand })
  }

  @Test("The kit finds a recursive lock, because it keeps other threads out")
  func recursiveLock() async {
    let report = await PublisherConformance(traits: ConformanceTraits(patience: .seconds(1))) {
      BrokenSource(count: $0.count, fault: .locksOthersOut)
    }.report()
    // Demand that had to wait may be found missing besides.
    let findings = report.findings.filter { $0.rule == .noLockHeld }
    #expect(
      findings.map(\.provocation) == [
        "another thread cancels during a value",
        "another thread requests and subscribes during a value",
      ])
    #expect(
      findings.map(\.seen)
        == ["it did not return in time", "they did not return in time"])
  }

  @Test("The kit finds lost demand of another thread where it was requested")
  func lostDemand() async {
    let report = await PublisherConformance {
      BrokenSource(count: $0.count, fault: .losesDemandWhileServing)
    }.report()
    let place = "another thread requests and subscribes during a value"
    let finding = report.findings.first { $0.provocation == place }
    #expect(finding?.rule == .demandAddsUp)
    #expect(finding?.seen == "1")
  }

  @Test("The kit finds closures that outlive the stream")
  func keptWork() async {
    let report = await PublisherConformance { rig in
      BrokenSource(count: rig.count, fault: .keepsWork) { rig.touch() }
    }.report()
    #expect(report.broken == [.release], "\(report)")
    #expect(report.findings.first?.expected == "closures are freed after a cancel")
  }

  @Test("The kit finds an endless publisher whose subscribers take values from each other")
  func endless() async {
    let report = await PublisherConformance { _ in
      BrokenSource(count: 100_000, fault: .sharesPosition)
    }.report()
    #expect(report.broken.contains(.independence), "\(report)")
    let finding = report.findings.first { $0.rule == .independence }
    #expect(finding?.expected.contains("no end") == true)
  }

  @Test("The kit finds a closure that runs only for the first subscriber")
  func remembered() async {
    let report = await PublisherConformance { rig in
      let hasRun = Lock(false)
      return Deferred {
        let isFirst = hasRun.withLock { hasRun in
          defer { hasRun = true }
          return !hasRun
        }
        if isFirst { rig.touch() }
        return rig.values.publisher
      }
    }.report()
    #expect(report.broken == [.laziness], "\(report)")
    #expect(report.findings.first?.seen == "0 for subscription 2")
  }

  @Test("The kit finds an end that waits for demand")
  func endHeldBack() async {
    let report = await PublisherConformance { _ in BrokenSource(count: 0, fault: .holdsEndBack) }
      .report()
    #expect(report.broken == [.endNeedsNoDemand], "\(report)")
  }

  @Test("The kit finds work that runs when the publisher is made")
  func eager() async {
    let report = await PublisherConformance { rig in
      rig.touch()
      return rig.values.publisher
    }.report()
    #expect(report.broken == [.laziness], "\(report)")
  }
}
