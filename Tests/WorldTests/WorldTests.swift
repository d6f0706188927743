import Fixtures
import Foundation
import Streams
import Testing

/// The whole client in a simulated world, for thousands of seeds.
///
/// `RESTKIT_WORLD_SEEDS` says for how many, or for which, such as `100000` or `7..<8`.
@Suite("A simulated world")
struct WorldTests {
  private static var seeds: Range<UInt64> {
    let text = ProcessInfo.processInfo.environment["RESTKIT_WORLD_SEEDS"] ?? ""
    let bounds = text.components(separatedBy: "..<").compactMap { UInt64($0) }
    switch bounds.count {
    case 1: return 0..<bounds[0]
    case 2 where bounds[0] <= bounds[1]: return bounds[0]..<bounds[1]
    default: return 0..<2_000
    }
  }

  /// The seeds in parts, for as many threads.
  static let parts = (0..<4).map { part in
    seeds.dropFirst(seeds.count * part / 4).prefix(
      seeds.count * (part + 1) / 4 - seeds.count * part / 4)
  }

  @Test("TR-35 RT-14 A random plan of events keeps every promise", arguments: parts)
  func world(seeds: Range<UInt64>) async throws {
    for seed in seeds {
      // Other tests wait for this thread, and some have a time limit.
      if seed % 20 == 0 { await Task.yield() }
      let plan = WorldPlan(seed: seed)
      guard !World.faults(of: plan).isEmpty else { continue }
      let shortest = Self.shortest(of: plan)
      Issue.record("\(World.faults(of: shortest).joined(separator: "\n"))\n\(shortest)")
      return
    }
  }

  /// The fewest first events of a plan that still fail.
  private static func shortest(of plan: WorldPlan) -> WorldPlan {
    for count in 1..<plan.events.count {
      let prefix = plan.prefix(count)
      if !World.faults(of: prefix).isEmpty { return prefix }
    }
    return plan
  }

  @Test("Random plans contain calls of several requests of every kind")
  func pipelines() {
    let kinds = (UInt64(0)..<100).flatMap { seed -> [WorldPipeline] in
      WorldPlan(seed: seed).events.compactMap { event -> WorldPipeline? in
        guard case .call(let kind, _) = event.action else { return nil }
        return kind.pipeline
      }
    }
    #expect(Set(kinds.map(\.whole)) == Set(WorldPipeline.Whole.allCases))
    #expect(Set(kinds.map(\.shape)) == Set(WorldPipeline.Shape.allCases))
    #expect(Set(kinds.map(\.authorization)) == Set(WorldPipeline.Authorization.allCases))
    let twins = kinds.filter { pipeline in
      let posts = pipeline.requests.filter(\.makesKey)
      return Set(posts.map(\.path)).count < posts.count
    }
    #expect(twins.count > 10)
  }

  @Test("A seed always gives the same plan and the same outcome")
  func repeats() {
    for seed in UInt64(0)..<20 {
      #expect("\(WorldPlan(seed: seed))" == "\(WorldPlan(seed: seed))")
      let stories = (0..<2).map { _ in
        let world = World(WorldPlan(seed: seed))
        world.run()
        defer { world.close() }
        return world.network.state.withLock { $0.stories }
      }
      #expect(stories[0] == stories[1])
    }
  }
}
