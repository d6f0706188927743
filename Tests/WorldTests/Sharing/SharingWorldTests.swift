import Fixtures
import Testing

/// Caches and shared exchanges in a simulated world, for the seeds of ``WorldTests``.
@Suite("A simulated world of caches and shared exchanges")
struct SharingWorldTests {
  @Test(
    "Users, roads, changes, removals, failures and kills never mix or outlive responses",
    arguments: WorldTests.parts)
  func world(seeds: Range<UInt64>) async throws {
    for seed in seeds {
      // Other tests wait for this thread, and some have a time limit.
      if seed % 20 == 0 { await Task.yield() }
      let plan = SharingPlan(seed: seed)
      guard try SharingWorld.fault(of: plan) != nil else { continue }
      let shortest =
        try (1...plan.events.count).lazy.map(plan.prefix)
        .first { try SharingWorld.fault(of: $0) != nil } ?? plan
      Issue.record("\(try SharingWorld.fault(of: shortest) ?? "not again")\n\(shortest)")
      return
    }
  }
}
