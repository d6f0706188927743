import Streams
import StreamsFixtures
import StreamsTesting

extension ConformanceEntry {
  static let folding: [ConformanceEntry] = gathering + asking + comparing

  private static let gathering: [ConformanceEntry] = [
    .operator("collect", demand: .unlimited) { upstream, _ in upstream.collect() }
      .folding(to: "[1, 2, 3]") { base, _ in base.collect() },
    .operator("collect", "by count", demand: .own) { upstream, _ in upstream.collect(3) }
      .changingNothing(trigger: .nothing, waitsForDemand: true) { base, _ in
        base.collect(1).compactMap { $0.first }
      },
    .operator("collect", "by time", demand: .unlimited) { upstream, rig in
      upstream.collect(.byTime(rig.scheduler, .milliseconds(10)))
    }
    .timed { base, scheduler in
      base.collect(.byTime(scheduler, .milliseconds(10))).map { $0.reduce(0, +) }
    },
    .operator("collect", "by time or count", demand: .own) { upstream, rig in
      upstream.collect(.byTimeOrCount(rig.scheduler, .milliseconds(10), 2))
    }
    .timed { base, scheduler in
      base.collect(.byTimeOrCount(scheduler, .milliseconds(10), 1)).map { $0.reduce(0, +) }
    },
    .operator("reduce", demand: .unlimited) { upstream, rig in
      upstream.reduce(0) { rig.pass($0 + $1) }
    }
    .folding(to: "6") { base, rig in base.reduce(0) { rig.pass($0 + $1) } },
    .operator("count", demand: .unlimited) { upstream, _ in upstream.count() }
      .folding(to: "3") { base, _ in base.count() },
    .operator("ignoreOutput", demand: .unlimited) { upstream, _ in upstream.ignoreOutput() }
      .folding(to: nil) { base, _ in base.ignoreOutput() },
    .operator("last", demand: .unlimited) { upstream, _ in upstream.last() }
      .folding(to: "3") { base, _ in base.last() },
    .operator("last", "where", demand: .unlimited) { upstream, rig in
      upstream.last { rig.pass($0 < 5) }
    }
    .folding(to: "3") { base, rig in base.last { _ in rig.pass(true) } },
  ]

  private static let asking: [ConformanceEntry] = [
    .operator("contains", "a value", demand: .unlimited) { upstream, _ in upstream.contains(4) }
      .folding(to: "false") { base, _ in base.contains(-1) },
    .operator("contains", "where", demand: .unlimited) { upstream, rig in
      upstream.contains { rig.pass($0 == 4) }
    }
    .folding(to: "false") { base, rig in base.contains { _ in rig.pass(false) } },
    .operator("allSatisfy", demand: .unlimited) { upstream, rig in
      upstream.allSatisfy { rig.pass($0 < 4) }
    }
    .folding(to: "true") { base, rig in base.allSatisfy { _ in rig.pass(true) } },
  ]

  private static let comparing: [ConformanceEntry] = [
    .operator("min", demand: .unlimited) { upstream, _ in upstream.min() },
    .operator("min", "by", demand: .unlimited) { upstream, rig in
      upstream.min { rig.pass($0 < $1) }
    }
    .folding(to: "1") { base, rig in base.min { rig.pass($0 < $1) } },
    .operator("max", demand: .unlimited) { upstream, _ in upstream.max() },
    .operator("max", "by", demand: .unlimited) { upstream, rig in
      upstream.max { rig.pass($0 < $1) }
    }
    .folding(to: "3") { base, rig in base.max { rig.pass($0 < $1) } },
  ]
}
