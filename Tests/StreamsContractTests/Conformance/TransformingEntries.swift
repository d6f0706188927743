import Streams
import StreamsFixtures
import StreamsTesting

extension ConformanceEntry {
  static let transforming: [ConformanceEntry] = mapping + coding + flattening

  private static let mapping: [ConformanceEntry] = [
    .operator("map", memory: .none) { upstream, rig in upstream.map { rig.pass($0) } }
      .changingNothing { base, rig in base.map { rig.pass($0) } },
    .operator("map", "key path", memory: .none) { upstream, _ in upstream.map(\.self) }
      .changingNothing(trigger: .nothing) { base, _ in base.map(\.self) },
    .operator("map", "two key paths", memory: .none) { upstream, _ in
      upstream.map(\.self, \.description)
    }
    .changingNothing(trigger: .nothing) { base, _ in
      base.map(\.self, \.description).map { $0.0 }
    },
    .operator("map", "three key paths", memory: .none) { upstream, _ in
      upstream.map(\.self, \.description, \.magnitude)
    }
    .changingNothing(trigger: .nothing) { base, _ in
      base.map(\.self, \.description, \.magnitude).map { $0.0 }
    },
    .operator("tryMap", memory: .ofTheEnd) { upstream, rig in
      upstream.tryMap { (value: Int) throws -> Int in rig.pass(value) }
    }
    .changingNothing { base, rig in
      base.tryMap { (value: Int) throws -> Int in rig.pass(value) }
        .mapError { ($0 as? TestError) ?? .third }
    },
    .operator("tryMap", "typed", memory: .ofTheEnd) { upstream, rig in
      upstream.tryMap { (value: Int) throws(ConformanceError) -> Int in rig.pass(value) }
    }
    .changingNothing { base, rig in
      base.tryMap { (value: Int) throws(TestError) -> Int in rig.pass(value) }
    },
    .operator("tryMap", "of what cannot fail", failures: .handled, memory: .ofTheEnd) {
      upstream, rig in
      upstream.infallible.tryMap { (value: Int) throws(ConformanceError) -> Int in rig.pass(value) }
    },
    .operator("scan") { upstream, rig in upstream.scan(0) { rig.pass($0 + $1) } }
      .changingNothing { base, rig in
        base.scan(0) { _, value in rig.pass(value) }
      },
    .operator("enumerated") { upstream, rig in upstream.enumerated().map { rig.pass($0.element) } }
      .changingNothing { base, rig in base.enumerated().map { rig.pass($0.element) } },
    .operator("replaceNil", memory: .none) { upstream, rig in
      upstream.map { $0.isMultiple(of: 2) ? rig.pass($0) : nil }.replaceNil(with: 0)
    }
    .changingNothing(trigger: .nothing) { base, _ in
      base.map { Optional($0) }.replaceNil(with: 0)
    },
    .operator("setFailureType", failures: .handled) { upstream, _ in
      upstream.infallible.setFailureType(to: ConformanceError.self)
    },
    .operator("eraseToAnyPublisher", memory: .none) { upstream, rig in
      upstream.map { rig.pass($0) }.eraseToAnyPublisher()
    }
    .changingNothing(trigger: .nothing) { base, _ in AnyPublisher(AnyPublisher(base)) },
  ]

  private static let coding: [ConformanceEntry] = [
    .operator("encode", memory: .ofTheEnd) { upstream, rig in
      upstream.encode(encoder: LineCoder(touch: { rig.touch() }))
    },
    .operator("decode", memory: .ofTheEnd) { upstream, rig in
      upstream.map { "\($0)" }.decode(type: Int.self, decoder: LineCoder(touch: { rig.touch() }))
    }
    .changingNothing { base, rig in
      let coder = LineCoder(touch: rig.touch)
      return base.encode(encoder: coder).decode(type: Int.self, decoder: coder)
        .mapError { ($0 as? TestError) ?? .third }
    },
  ]

  private static let flattening: [ConformanceEntry] = [
    .operator("flatMap", demand: .unlimited) { upstream, rig in
      upstream.flatMap { Just(rig.pass($0)).setFailureType(to: ConformanceError.self) }
    },
    .operator("flatMap", "to what cannot fail", demand: .unlimited) { upstream, rig in
      upstream.flatMap { Just(rig.pass($0)) }
    }
    .changingNothing { base, rig in base.flatMap { Just(rig.pass($0)) } },
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
    }
    .changingNothing { base, rig in base.flatMap(maxPublishers: .max(1)) { Just(rig.pass($0)) } },
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
    .operator("flatMapLatest", demand: .unlimited, isLossy: true) { upstream, rig in
      upstream.flatMapLatest { Just(rig.pass($0)).setFailureType(to: ConformanceError.self) }
    },
    .operator("flatMapLatest", "to what cannot fail", demand: .unlimited, isLossy: true) {
      upstream, rig in
      upstream.flatMapLatest { Just(rig.pass($0)) }
    },
    .operator(
      "flatMapLatest", "of what cannot fail", demand: .unlimited, failures: .handled, isLossy: true
    ) {
      upstream, rig in
      upstream.infallible
        .flatMapLatest { Just(rig.pass($0)).setFailureType(to: ConformanceError.self) }
    },
    .operator(
      "flatMapLatest", "of what cannot fail, to what cannot fail", demand: .unlimited,
      failures: .handled, isLossy: true
    ) { upstream, rig in
      upstream.infallible.flatMapLatest { Just(rig.pass($0)) }
    },
    .operator("expand") { upstream, rig in
      upstream.expand { value in
        (rig.pass(value) < 100 ? value + 100 : nil).publisher
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
