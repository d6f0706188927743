import Streams
import StreamsTesting

extension ConformanceEntry {
  static let transforming: [ConformanceEntry] = mapping + coding + flattening

  private static let mapping: [ConformanceEntry] = [
    .operator("map", memory: .none) { upstream, rig in upstream.map { rig.pass($0) } },
    .operator("map", "key path", memory: .none) { upstream, _ in upstream.map(\.self) },
    .operator("map", "two key paths", memory: .none) { upstream, _ in
      upstream.map(\.self, \.description)
    },
    .operator("map", "three key paths", memory: .none) { upstream, _ in
      upstream.map(\.self, \.description, \.magnitude)
    },
    .operator("tryMap", memory: .ofTheEnd) { upstream, rig in
      upstream.tryMap { (value: Int) throws -> Int in rig.pass(value) }
    },
    .operator("tryMap", "typed", memory: .ofTheEnd) { upstream, rig in
      upstream.tryMap { (value: Int) throws(ConformanceError) -> Int in rig.pass(value) }
    },
    .operator("tryMap", "of what cannot fail", failures: .handled, memory: .ofTheEnd) {
      upstream, rig in
      upstream.infallible.tryMap { (value: Int) throws(ConformanceError) -> Int in rig.pass(value) }
    },
    .operator("scan") { upstream, rig in upstream.scan(0) { rig.pass($0 + $1) } },
    .operator("tryScan") { upstream, rig in
      upstream.tryScan(0) { (sum: Int, value: Int) throws -> Int in rig.pass(sum + value) }
    },
    .operator("tryScan", "typed") { upstream, rig in
      upstream.tryScan(0) { (sum: Int, value: Int) throws(ConformanceError) -> Int in
        rig.pass(sum + value)
      }
    },
    .operator("tryScan", "of what cannot fail", failures: .handled) { upstream, rig in
      upstream.infallible.tryScan(0) { (sum: Int, value: Int) throws(ConformanceError) -> Int in
        rig.pass(sum + value)
      }
    },
    .operator("replaceNil", memory: .none) { upstream, rig in
      upstream.map { $0.isMultiple(of: 2) ? rig.pass($0) : nil }.replaceNil(with: 0)
    },
    .operator("setFailureType", failures: .handled) { upstream, _ in
      upstream.infallible.setFailureType(to: ConformanceError.self)
    },
    .operator("eraseToAnyPublisher", memory: .none) { upstream, rig in
      upstream.map { rig.pass($0) }.eraseToAnyPublisher()
    },
  ]

  private static let coding: [ConformanceEntry] = [
    .operator("encode", memory: .ofTheEnd) { upstream, rig in
      upstream.encode(encoder: LineCoder(touch: { rig.touch() }))
    },
    .operator("decode", memory: .ofTheEnd) { upstream, rig in
      upstream.map { "\($0)" }.decode(type: Int.self, decoder: LineCoder(touch: { rig.touch() }))
    },
  ]

  private static let flattening: [ConformanceEntry] = [
    .operator("flatMap", demand: .unlimited) { upstream, rig in
      upstream.flatMap { Just(rig.pass($0)).setFailureType(to: ConformanceError.self) }
    },
    .operator("flatMap", "to what cannot fail", demand: .unlimited) { upstream, rig in
      upstream.flatMap { Just(rig.pass($0)) }
    },
    .operator("flatMap", "of what cannot fail", demand: .unlimited, failures: .handled) {
      upstream, rig in
      upstream.infallible
        .flatMap { Just(rig.pass($0)).setFailureType(to: ConformanceError.self) }
    },
    .operator(
      "flatMap", "of what cannot fail, to what cannot fail", demand: .unlimited,
      failures: .handled
    ) { upstream, rig in
      upstream.infallible.flatMap { Just(rig.pass($0)) }
    },
    .operator("flatMap", "one at a time", demand: .own) { upstream, rig in
      upstream.flatMap(maxPublishers: .max(1)) { [rig.pass($0), 0].publisher }
    },
    .operator("switchToLatest", demand: .unlimited, isLossy: true) { upstream, rig in
      upstream.map { Just(rig.pass($0)).setFailureType(to: ConformanceError.self) }
        .switchToLatest()
    },
    .operator("switchToLatest", "to what cannot fail", demand: .unlimited, isLossy: true) {
      upstream, rig in
      upstream.map { Just(rig.pass($0)) }.switchToLatest()
    },
    .operator(
      "switchToLatest", "of what cannot fail", demand: .unlimited, failures: .handled, isLossy: true
    ) {
      upstream, rig in
      upstream.infallible.map { Just(rig.pass($0)).setFailureType(to: ConformanceError.self) }
        .switchToLatest()
    },
    .operator(
      "switchToLatest", "of what cannot fail, to what cannot fail", demand: .unlimited,
      failures: .handled, isLossy: true
    ) { upstream, rig in
      upstream.infallible.map { Just(rig.pass($0)) }.switchToLatest()
    },
    .operator("flatMapFirst", demand: .unlimited, isLossy: true) { upstream, rig in
      upstream.flatMapFirst { Just(rig.pass($0)).setFailureType(to: ConformanceError.self) }
    },
    .operator("flatMapFirst", "to what cannot fail", demand: .unlimited, isLossy: true) {
      upstream, rig in
      upstream.flatMapFirst { Just(rig.pass($0)) }
    },
    .operator(
      "flatMapFirst", "of what cannot fail", demand: .unlimited, failures: .handled, isLossy: true
    ) {
      upstream, rig in
      upstream.infallible
        .flatMapFirst { Just(rig.pass($0)).setFailureType(to: ConformanceError.self) }
    },
    .operator(
      "flatMapFirst", "of what cannot fail, to what cannot fail", demand: .unlimited,
      failures: .handled, isLossy: true
    ) { upstream, rig in
      upstream.infallible.flatMapFirst { Just(rig.pass($0)) }
    },
    .operator("expand") { upstream, rig in
      upstream.expand { value in
        [rig.pass(value) + 100].publisher.filter { $0 < 200 }
          .setFailureType(to: ConformanceError.self)
      }
    },
    .operator("asyncMap", demand: .own, isAsynchronous: true) { upstream, rig in
      upstream.asyncMap { rig.pass($0) }
    },
    .operator("tryAsyncMap", demand: .own, isAsynchronous: true) { upstream, rig in
      upstream.tryAsyncMap { (value: Int) async throws -> Int in rig.pass(value) }
    },
    .operator("tryAsyncMap", "typed", demand: .own, isAsynchronous: true) { upstream, rig in
      upstream.tryAsyncMap { (value: Int) async throws(ConformanceError) -> Int in rig.pass(value) }
    },
    .operator(
      "tryAsyncMap", "of what cannot fail", demand: .own, failures: .handled, isAsynchronous: true
    ) { upstream, rig in
      upstream.infallible
        .tryAsyncMap { (value: Int) async throws(ConformanceError) -> Int in rig.pass(value) }
    },
  ]
}
