import Streams
import StreamsTesting

extension ConformanceEntry {
  static let folding: [ConformanceEntry] = gathering + asking + comparing

  private static let gathering: [ConformanceEntry] = [
    .operator("collect", demand: .unlimited) { upstream, _ in upstream.collect() },
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
    },
    .operator("count", demand: .unlimited) { upstream, _ in upstream.count() },
    .operator("ignoreOutput", demand: .unlimited) { upstream, _ in upstream.ignoreOutput() },
    .operator("last", demand: .unlimited) { upstream, _ in upstream.last() },
    .operator("last", "where", demand: .unlimited) { upstream, rig in
      upstream.last { rig.pass($0 < 5) }
    },
  ]

  private static let asking: [ConformanceEntry] = [
    .operator("contains", "a value", demand: .unlimited) { upstream, _ in upstream.contains(4) },
    .operator("contains", "where", demand: .unlimited) { upstream, rig in
      upstream.contains { rig.pass($0 == 4) }
    },
    .operator("allSatisfy", demand: .unlimited) { upstream, rig in
      upstream.allSatisfy { rig.pass($0 < 4) }
    },
  ]

  private static let comparing: [ConformanceEntry] = [
    .operator("min", demand: .unlimited) { upstream, _ in upstream.min() },
    .operator("min", "by", demand: .unlimited) { upstream, rig in
      upstream.min { rig.pass($0 < $1) }
    },
    .operator("max", demand: .unlimited) { upstream, _ in upstream.max() },
    .operator("max", "by", demand: .unlimited) { upstream, rig in
      upstream.max { rig.pass($0 < $1) }
    },
  ]
}
