import Streams
import StreamsTesting

extension ConformanceEntry {
  static let folding: [ConformanceEntry] = gathering + asking + comparing

  private static let gathering: [ConformanceEntry] = [
    .operator("collect", demand: .unlimited) { upstream, _ in upstream.collect() },
    .operator("collect", "by count", demand: .own) { upstream, _ in upstream.collect(3) },
    .operator("collect", "by time", demand: .unlimited) { upstream, rig in
      upstream.collect(.byTime(rig.scheduler, .milliseconds(10)))
    },
    .operator("collect", "by time or count", demand: .own) { upstream, rig in
      upstream.collect(.byTimeOrCount(rig.scheduler, .milliseconds(10), 2))
    },
    .operator("reduce", demand: .unlimited) { upstream, rig in
      upstream.reduce(0) { rig.pass($0 + $1) }
    },
    .operator("tryReduce", demand: .unlimited) { upstream, rig in
      upstream.tryReduce(0) { (sum: Int, value: Int) throws -> Int in rig.pass(sum + value) }
    },
    .operator("tryReduce", "typed", demand: .unlimited) { upstream, rig in
      upstream.tryReduce(0) { (sum: Int, value: Int) throws(ConformanceError) -> Int in
        rig.pass(sum + value)
      }
    },
    .operator("tryReduce", "of what cannot fail", demand: .unlimited, failures: .handled) {
      upstream, rig in
      upstream.infallible.tryReduce(0) { (sum: Int, value: Int) throws(ConformanceError) -> Int in
        rig.pass(sum + value)
      }
    },
    .operator("count", demand: .unlimited) { upstream, _ in upstream.count() },
    .operator("ignoreOutput", demand: .unlimited) { upstream, _ in upstream.ignoreOutput() },
    .operator("last", demand: .unlimited) { upstream, _ in upstream.last() },
    .operator("last", "where", demand: .unlimited) { upstream, rig in
      upstream.last { rig.pass($0 < 5) }
    },
    .operator("tryLast", demand: .unlimited) { upstream, rig in
      upstream.tryLast { (value: Int) throws -> Bool in rig.pass(value < 5) }
    },
    .operator("tryLast", "typed", demand: .unlimited) { upstream, rig in
      upstream.tryLast { (value: Int) throws(ConformanceError) -> Bool in rig.pass(value < 5) }
    },
    .operator("tryLast", "of what cannot fail", demand: .unlimited, failures: .handled) {
      upstream, rig in
      upstream.infallible.tryLast { (value: Int) throws(ConformanceError) -> Bool in
        rig.pass(value < 5)
      }
    },
  ]

  private static let asking: [ConformanceEntry] = [
    .operator("contains", "a value", demand: .unlimited) { upstream, _ in upstream.contains(4) },
    .operator("contains", "where", demand: .unlimited) { upstream, rig in
      upstream.contains { rig.pass($0 == 4) }
    },
    .operator("tryContains", demand: .unlimited) { upstream, rig in
      upstream.tryContains { (value: Int) throws -> Bool in rig.pass(value == 4) }
    },
    .operator("tryContains", "typed", demand: .unlimited) { upstream, rig in
      upstream.tryContains { (value: Int) throws(ConformanceError) -> Bool in rig.pass(value == 4) }
    },
    .operator("tryContains", "of what cannot fail", demand: .unlimited, failures: .handled) {
      upstream, rig in
      upstream.infallible.tryContains { (value: Int) throws(ConformanceError) -> Bool in
        rig.pass(value == 4)
      }
    },
    .operator("allSatisfy", demand: .unlimited) { upstream, rig in
      upstream.allSatisfy { rig.pass($0 < 4) }
    },
    .operator("tryAllSatisfy", demand: .unlimited) { upstream, rig in
      upstream.tryAllSatisfy { (value: Int) throws -> Bool in rig.pass(value < 4) }
    },
    .operator("tryAllSatisfy", "typed", demand: .unlimited) { upstream, rig in
      upstream.tryAllSatisfy { (value: Int) throws(ConformanceError) -> Bool in rig.pass(value < 4)
      }
    },
    .operator("tryAllSatisfy", "of what cannot fail", demand: .unlimited, failures: .handled) {
      upstream, rig in
      upstream.infallible.tryAllSatisfy { (value: Int) throws(ConformanceError) -> Bool in
        rig.pass(value < 4)
      }
    },
  ]

  private static let comparing: [ConformanceEntry] = [
    .operator("min", demand: .unlimited) { upstream, _ in upstream.min() },
    .operator("min", "by", demand: .unlimited) { upstream, rig in
      upstream.min { rig.pass($0 < $1) }
    },
    .operator("tryMin", demand: .unlimited) { upstream, rig in
      upstream.tryMin { (a: Int, b: Int) throws -> Bool in rig.pass(a < b) }
    },
    .operator("tryMin", "typed", demand: .unlimited) { upstream, rig in
      upstream.tryMin { (a: Int, b: Int) throws(ConformanceError) -> Bool in rig.pass(a < b) }
    },
    .operator("tryMin", "of what cannot fail", demand: .unlimited, failures: .handled) {
      upstream, rig in
      upstream.infallible.tryMin { (a: Int, b: Int) throws(ConformanceError) -> Bool in
        rig.pass(a < b)
      }
    },
    .operator("max", demand: .unlimited) { upstream, _ in upstream.max() },
    .operator("max", "by", demand: .unlimited) { upstream, rig in
      upstream.max { rig.pass($0 < $1) }
    },
    .operator("tryMax", demand: .unlimited) { upstream, rig in
      upstream.tryMax { (a: Int, b: Int) throws -> Bool in rig.pass(a < b) }
    },
    .operator("tryMax", "typed", demand: .unlimited) { upstream, rig in
      upstream.tryMax { (a: Int, b: Int) throws(ConformanceError) -> Bool in rig.pass(a < b) }
    },
    .operator("tryMax", "of what cannot fail", demand: .unlimited, failures: .handled) {
      upstream, rig in
      upstream.infallible.tryMax { (a: Int, b: Int) throws(ConformanceError) -> Bool in
        rig.pass(a < b)
      }
    },
  ]
}
