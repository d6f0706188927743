import Streams
import StreamsTesting

extension ConformanceEntry {
  static let filtering: [ConformanceEntry] = picking + taking + dropping

  private static let picking: [ConformanceEntry] = [
    .operator("filter", memory: .none) { upstream, rig in
      upstream.filter { rig.pass($0.isMultiple(of: 2)) }
    },
    .operator("tryFilter") { upstream, rig in
      upstream.tryFilter { (value: Int) throws -> Bool in rig.pass(value.isMultiple(of: 2)) }
    },
    .operator("tryFilter", "typed") { upstream, rig in
      upstream.tryFilter { (value: Int) throws(ConformanceError) -> Bool in
        rig.pass(value.isMultiple(of: 2))
      }
    },
    .operator("tryFilter", "of what cannot fail", failures: .handled) { upstream, rig in
      upstream.infallible.tryFilter { (value: Int) throws(ConformanceError) -> Bool in
        rig.pass(value.isMultiple(of: 2))
      }
    },
    .operator("compactMap", memory: .none) { upstream, rig in
      upstream.compactMap { rig.pass($0.isMultiple(of: 2) ? $0 : nil) }
    },
    .operator("tryCompactMap") { upstream, rig in
      upstream.tryCompactMap { (value: Int) throws -> Int? in
        rig.pass(value.isMultiple(of: 2) ? value : nil)
      }
    },
    .operator("tryCompactMap", "typed") { upstream, rig in
      upstream.tryCompactMap { (value: Int) throws(ConformanceError) -> Int? in
        rig.pass(value.isMultiple(of: 2) ? value : nil)
      }
    },
    .operator("tryCompactMap", "of what cannot fail", failures: .handled) { upstream, rig in
      upstream.infallible.tryCompactMap { (value: Int) throws(ConformanceError) -> Int? in
        rig.pass(value.isMultiple(of: 2) ? value : nil)
      }
    },
    .operator("removeDuplicates") { upstream, rig in
      upstream.map { rig.pass($0 / 2) }.removeDuplicates()
    },
    .operator("removeDuplicates", "by a predicate") { upstream, rig in
      upstream.removeDuplicates { rig.pass($0 / 2 == $1 / 2) }
    },
    .operator("tryRemoveDuplicates") { upstream, rig in
      upstream.tryRemoveDuplicates { (last: Int, new: Int) throws -> Bool in
        rig.pass(last / 2 == new / 2)
      }
    },
    .operator("tryRemoveDuplicates", "typed") { upstream, rig in
      upstream.tryRemoveDuplicates { (last: Int, new: Int) throws(ConformanceError) -> Bool in
        rig.pass(last / 2 == new / 2)
      }
    },
    .operator("tryRemoveDuplicates", "of what cannot fail", failures: .handled) { upstream, rig in
      upstream.infallible.tryRemoveDuplicates {
        (last: Int, new: Int) throws(ConformanceError) -> Bool in rig.pass(last / 2 == new / 2)
      }
    },
  ]

  private static let taking: [ConformanceEntry] = [
    .operator("first") { upstream, _ in upstream.first() },
    .operator("first", "where") { upstream, rig in upstream.first { rig.pass($0 == 3) } },
    .operator("tryFirst") { upstream, rig in
      upstream.tryFirst { (value: Int) throws -> Bool in rig.pass(value == 3) }
    },
    .operator("tryFirst", "typed") { upstream, rig in
      upstream.tryFirst { (value: Int) throws(ConformanceError) -> Bool in rig.pass(value == 3) }
    },
    .operator("tryFirst", "of what cannot fail", failures: .handled) { upstream, rig in
      upstream.infallible.tryFirst { (value: Int) throws(ConformanceError) -> Bool in
        rig.pass(value == 3)
      }
    },
    .operator("prefix", "a number") { upstream, _ in upstream.prefix(4) },
    .operator("prefix", "none", failures: .handled) {
      upstream, _ in
      upstream.prefix(0)
    },
    .operator("prefix", "while") { upstream, rig in upstream.prefix { rig.pass($0 < 5) } },
    .operator("prefix", "until output from another") { upstream, _ in
      upstream.prefix(untilOutputFrom: Empty<Int, Never>(completeImmediately: false))
    },
    .operator("tryPrefix") { upstream, rig in
      upstream.tryPrefix { (value: Int) throws -> Bool in rig.pass(value < 5) }
    },
    .operator("tryPrefix", "typed") { upstream, rig in
      upstream.tryPrefix { (value: Int) throws(ConformanceError) -> Bool in rig.pass(value < 5) }
    },
    .operator("tryPrefix", "of what cannot fail", failures: .handled) { upstream, rig in
      upstream.infallible.tryPrefix { (value: Int) throws(ConformanceError) -> Bool in
        rig.pass(value < 5)
      }
    },
    .operator("output", "at a position") { upstream, _ in upstream.output(at: 2) },
    .operator("output", "in a range") { upstream, _ in upstream.output(in: 2...5) },
  ]

  private static let dropping: [ConformanceEntry] = [
    .operator("dropFirst") { upstream, _ in upstream.dropFirst(3) },
    .operator("drop", "while") { upstream, rig in upstream.drop { rig.pass($0 < 3) } },
    .operator("drop", "until output from another") { upstream, _ in
      upstream.drop(untilOutputFrom: Just(0).setFailureType(to: ConformanceError.self))
    },
    .operator("tryDrop") { upstream, rig in
      upstream.tryDrop { (value: Int) throws -> Bool in rig.pass(value < 3) }
    },
    .operator("tryDrop", "typed") { upstream, rig in
      upstream.tryDrop { (value: Int) throws(ConformanceError) -> Bool in rig.pass(value < 3) }
    },
    .operator("tryDrop", "of what cannot fail", failures: .handled) { upstream, rig in
      upstream.infallible.tryDrop { (value: Int) throws(ConformanceError) -> Bool in
        rig.pass(value < 3)
      }
    },
  ]
}
