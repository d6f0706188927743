import Fixtures
import Testing

/// Live streams in a simulated world, for the seeds of ``WorldTests``.
@Suite("A simulated world of live streams")
struct LiveWorldTests {
  @Test(
    "Breaks, versions, refusals, expiry, sign-outs and cancels lose, repeat and mix no event",
    arguments: WorldTests.parts)
  func world(seeds: Range<UInt64>) async throws {
    for seed in seeds {
      // Other tests wait for this thread, and some have a time limit.
      if seed % 20 == 0 { await Task.yield() }
      let plan = LivePlan(seed: seed)
      guard !LiveWorld.faults(of: plan).isEmpty else { continue }
      let shortest =
        (1...plan.events.count).lazy.map(plan.prefix)
        .first { !LiveWorld.faults(of: $0).isEmpty } ?? plan
      Issue.record("\(LiveWorld.faults(of: shortest).joined(separator: "\n"))\n\(shortest)")
      return
    }
  }
}
