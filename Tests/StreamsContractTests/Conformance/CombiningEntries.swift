import Streams
import StreamsFixtures
import StreamsTesting

extension ConformanceEntry {
  static let combining: [ConformanceEntry] = chaining + merging + zipping + latest + racing

  private static let chaining: [ConformanceEntry] = [
    .operator("append", "values") { upstream, _ in upstream.append(100, 101) },
    .operator("append", "a sequence") { upstream, _ in upstream.append(100...103) },
    .operator("append", "a publisher") { upstream, rig in
      upstream.append(rig.numbers.map { rig.pass($0) })
    },
    .operator("prepend", "values", skipping: later) { upstream, _ in upstream.prepend(100, 101) },
    .operator("prepend", "a sequence", skipping: later) { upstream, _ in
      upstream.prepend(100...103)
    },
    .operator("prepend", "a publisher", skipping: later) { upstream, rig in
      upstream.prepend(rig.numbers.map { rig.pass($0) })
    },
    .operator("concatenated") { upstream, rig in
      [upstream, rig.numbers.map { rig.pass($0) }.eraseToAnyPublisher()].concatenated()
    },
  ]

  private static let later: [ConformanceRule: String] = [
    .failureAtOnce: "this publisher is not subscribed before what goes first was asked for",
    .upstreamDemand: "what goes first takes its share of the demand",
  ]

  private static let merging: [ConformanceEntry] = [
    .operator("merge", "2 publishers", demand: .own, isOrdered: false) { upstream, rig in
      upstream.merge(with: rig.numbers)
    },
    .operator("merge", "3 publishers", demand: .own, isOrdered: false) { upstream, rig in
      upstream.merge(with: rig.numbers, rig.numbers)
    },
    .operator("merge", "4 publishers", demand: .own, isOrdered: false) { upstream, rig in
      upstream.merge(with: rig.numbers, rig.numbers, rig.numbers)
    },
    .operator("merge", "5 publishers", demand: .own, isOrdered: false) { upstream, rig in
      upstream.merge(with: rig.numbers, rig.numbers, rig.numbers, rig.numbers)
    },
    .operator("merge", "6 publishers", demand: .own, isOrdered: false) { upstream, rig in
      upstream.merge(with: rig.numbers, rig.numbers, rig.numbers, rig.numbers, rig.numbers)
    },
    .operator("merge", "7 publishers", demand: .own, isOrdered: false) { upstream, rig in
      upstream.merge(
        with: rig.numbers, rig.numbers, rig.numbers, rig.numbers, rig.numbers, rig.numbers)
    },
    .operator("merge", "8 publishers", demand: .own, isOrdered: false) { upstream, rig in
      upstream.merge(
        with: rig.numbers, rig.numbers, rig.numbers, rig.numbers, rig.numbers, rig.numbers,
        rig.numbers)
    },
    .operator("merged", demand: .own, isOrdered: false) { upstream, rig in
      [upstream, rig.numbers.map { rig.pass($0) }.eraseToAnyPublisher()].merged()
    },
  ]

  private static let zipping: [ConformanceEntry] = [
    .operator("zip", "2 publishers", demand: .own) { upstream, rig in
      upstream.zip(rig.numbers)
    },
    .operator("zip", "2 publishers, with a transform", demand: .own) { upstream, rig in
      upstream.zip(rig.numbers) { rig.pass($0 + $1) }
    },
    .operator("zip", "3 publishers", demand: .own) { upstream, rig in
      upstream.zip(rig.numbers, rig.numbers)
    },
    .operator("zip", "3 publishers, with a transform", demand: .own) { upstream, rig in
      upstream.zip(rig.numbers, rig.numbers) { rig.pass($0 + $1 + $2) }
    },
    .operator("zip", "4 publishers", demand: .own) { upstream, rig in
      upstream.zip(rig.numbers, rig.numbers, rig.numbers)
    },
    .operator("zip", "4 publishers, with a transform", demand: .own) { upstream, rig in
      upstream.zip(rig.numbers, rig.numbers, rig.numbers) { rig.pass($0 + $1 + $2 + $3) }
    },
  ]

  private static let latest: [ConformanceEntry] = [
    .operator("combineLatest", "2 publishers", demand: .own, isLossy: true) { upstream, rig in
      rig.zero.combineLatest(upstream)
    },
    .operator("combineLatest", "2 publishers, with a transform", demand: .own, isLossy: true) {
      upstream, rig in
      rig.zero.combineLatest(upstream) { rig.pass($0 + $1) }
    },
    .operator("combineLatest", "3 publishers", demand: .own, isLossy: true) { upstream, rig in
      rig.zero.combineLatest(rig.zero, upstream)
    },
    .operator("combineLatest", "3 publishers, with a transform", demand: .own, isLossy: true) {
      upstream, rig in
      rig.zero.combineLatest(rig.zero, upstream) { rig.pass($0 + $1 + $2) }
    },
    .operator("combineLatest", "4 publishers", demand: .own, isLossy: true) { upstream, rig in
      rig.zero.combineLatest(rig.zero, rig.zero, upstream)
    },
    .operator("combineLatest", "4 publishers, with a transform", demand: .own, isLossy: true) {
      upstream, rig in
      rig.zero.combineLatest(rig.zero, rig.zero, upstream) { rig.pass($0 + $1 + $2 + $3) }
    },
    .operator("withLatestFrom", demand: .own) { upstream, _ in
      upstream.withLatestFrom(Just("a").setFailureType(to: ConformanceError.self))
    },
    .operator("withLatestFrom", "with a transform", demand: .own) { upstream, rig in
      upstream.withLatestFrom(Just("a").setFailureType(to: ConformanceError.self)) {
        rig.pass("\($0)\($1)")
      }
    },
  ]

  private static let racing: [ConformanceEntry] = [
    .operator("race") { upstream, _ in
      upstream.race(with: Empty<Int, ConformanceError>(completeImmediately: false))
    },
    .operator("raced") { upstream, _ in
      [upstream, Empty(completeImmediately: false).eraseToAnyPublisher()].raced()
    },
  ]
}
