import Streams
import StreamsFixtures
import StreamsTesting

extension ConformanceEntry {
  static let filtering: [ConformanceEntry] = picking + taking + dropping

  private static let picking: [ConformanceEntry] = [
    .operator("filter", memory: .none) { upstream, rig in
      upstream.filter { rig.pass($0.isMultiple(of: 2)) }
    }
    .changingNothing { base, rig in base.filter { _ in rig.pass(true) } },
    .operator("compactMap", memory: .none) { upstream, rig in
      upstream.compactMap { rig.pass($0.isMultiple(of: 2) ? $0 : nil) }
    }
    .changingNothing { base, rig in base.compactMap { Optional(rig.pass($0)) } },
    .operator("removeDuplicates") { upstream, rig in
      upstream.map { rig.pass($0 / 2) }.removeDuplicates()
    },
    .operator("removeDuplicates", "by a predicate") { upstream, rig in
      upstream.removeDuplicates { rig.pass($0 / 2 == $1 / 2) }
    }
    .changingNothing(trigger: .nothing) { base, _ in base.removeDuplicates { _, _ in false } },
  ]

  private static let taking: [ConformanceEntry] = [
    .operator("first") { upstream, _ in upstream.first() },
    .operator("first", "where") { upstream, rig in upstream.first { rig.pass($0 == 3) } },
    .operator("prefix", "a number") { upstream, _ in upstream.prefix(4) }
      .changingNothing(trigger: .nothing) { base, _ in base.prefix(.max) },
    .operator("prefix", "none", failures: .handled) {
      upstream, _ in
      upstream.prefix(0)
    },
    .operator(
      "prefix", "while", skipping: [.promptEnd: "the first value that is not let through ends it"]
    ) { upstream, rig in upstream.prefix { rig.pass($0 < 5) } }
    .changingNothing { base, rig in base.prefix { _ in rig.pass(true) } },
    .operator("prefix", "until output from another") { upstream, _ in
      upstream.prefix(untilOutputFrom: Empty<Int, Never>(completeImmediately: false))
    }
    .changingNothing(trigger: .nothing) { base, _ in
      base.prefix(untilOutputFrom: Empty<Int, Never>())
    },
    .operator("output", "at a position") { upstream, _ in upstream.output(at: 2) },
    .operator("output", "in a range") { upstream, _ in upstream.output(in: 2...5) }
      .changingNothing(trigger: .nothing) { base, _ in base.output(in: 0...) },
  ]

  private static let dropping: [ConformanceEntry] = [
    .operator("dropFirst") { upstream, _ in upstream.dropFirst(3) }
      .changingNothing(trigger: .nothing) { base, _ in base.dropFirst(0) },
    .operator("drop", "while") { upstream, rig in upstream.drop { rig.pass($0 < 3) } }
      .changingNothing { base, rig in base.drop { _ in rig.pass(false) } },
    .operator("drop", "until output from another") { upstream, _ in
      upstream.drop(untilOutputFrom: Just(0).setFailureType(to: ConformanceError.self))
    }
    .changingNothing(trigger: .nothing) { base, _ in
      base.drop(untilOutputFrom: Just(0).setFailureType(to: TestError.self))
    },
  ]
}
