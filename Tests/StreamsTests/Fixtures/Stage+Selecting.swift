import Streams
import Testing

/// Swallows what is printed.
private struct Silence: TextOutputStream, Sendable {
  let touch: Stage.Touch

  func write(_ string: String) {
    touch()
  }
}

extension Stage {
  /// The operators that pass values on one by one, set up to pass all of them.
  static let selecting: [Stage] = throwing + choosing + watching

  private static let throwing: [Stage] = [
    Stage(name: "tryScan") { base, touch in
      base.tryScan(0) { (_: Int, value: Int) throws(TestError) -> Int in
        touch()
        return value
      }.eraseToAnyPublisher()
    },
    Stage(name: "tryFilter") { base, touch in
      base.tryFilter { (_: Int) throws(TestError) -> Bool in
        touch()
        return true
      }.eraseToAnyPublisher()
    },
    Stage(name: "tryCompactMap") { base, touch in
      base.tryCompactMap { (value: Int) throws(TestError) -> Int? in
        touch()
        return value
      }.eraseToAnyPublisher()
    },
    Stage(name: "tryRemoveDuplicates", trigger: .nothing) { base, _ in
      base.tryRemoveDuplicates { (last: Int, new: Int) throws(TestError) -> Bool in last == new }
        .eraseToAnyPublisher()
    },
    Stage(name: "tryPrefix(while:)") { base, touch in
      base.tryPrefix { (_: Int) throws(TestError) -> Bool in
        touch()
        return true
      }.eraseToAnyPublisher()
    },
    Stage(name: "tryDrop(while:)") { base, touch in
      base.tryDrop { (_: Int) throws(TestError) -> Bool in
        touch()
        return false
      }.eraseToAnyPublisher()
    },
  ]

  private static let choosing: [Stage] = [
    Stage(name: "prefix(n)", trigger: .nothing) { base, _ in
      base.prefix(.max).eraseToAnyPublisher()
    },
    Stage(name: "prefix(while:)") { base, touch in
      base.prefix { _ in
        touch()
        return true
      }.eraseToAnyPublisher()
    },
    Stage(name: "prefix(untilOutputFrom:)", trigger: .nothing) { base, _ in
      base.prefix(untilOutputFrom: Empty<Int, Never>()).eraseToAnyPublisher()
    },
    Stage(name: "dropFirst(n)", trigger: .nothing) { base, _ in
      base.dropFirst(0).eraseToAnyPublisher()
    },
    Stage(name: "drop(while:)") { base, touch in
      base.drop { _ in
        touch()
        return false
      }.eraseToAnyPublisher()
    },
    Stage(name: "drop(untilOutputFrom:)", trigger: .nothing) { base, _ in
      base.drop(untilOutputFrom: Just(0).setFailureType(to: TestError.self)).eraseToAnyPublisher()
    },
    Stage(name: "output(in:)", trigger: .nothing) { base, _ in
      base.output(in: 0...).eraseToAnyPublisher()
    },
    Stage(name: "removeDuplicates(by:)", trigger: .nothing) { base, _ in
      base.removeDuplicates { _, _ in false }.eraseToAnyPublisher()
    },
    Stage(name: "collect(1)", trigger: .nothing) { base, _ in
      base.collect(1).compactMap { $0.first }.eraseToAnyPublisher()
    },
  ]

  private static let watching: [Stage] = [
    Stage(name: "replaceNil", hasOwnSubscription: false, trigger: .nothing) { base, _ in
      base.map { Optional($0) }.replaceNil(with: 0).eraseToAnyPublisher()
    },
    Stage(name: "map(_:_:)", hasOwnSubscription: false, trigger: .nothing) { base, _ in
      base.map(\.self, \.description).map { $0.0 }.eraseToAnyPublisher()
    },
    Stage(name: "map(_:_:_:)", hasOwnSubscription: false, trigger: .nothing) { base, _ in
      base.map(\.self, \.description, \.magnitude).map { $0.0 }.eraseToAnyPublisher()
    },
    Stage(name: "print") { base, touch in
      base.print(to: Silence(touch: touch)).eraseToAnyPublisher()
    },
    Stage(name: "breakpoint") { base, touch in
      base.breakpoint(receiveOutput: { _ in
        touch()
        return false
      }).eraseToAnyPublisher()
    },
  ]

  /// The operators that may add one more value, which waits for demand, set up to pass all values.
  static let tailing: [Stage] = [
    Stage(name: "replaceEmpty", trigger: .nothing) { base, _ in
      base.map { Optional($0) }.replaceEmpty(with: nil).compactMap { $0 }.eraseToAnyPublisher()
    },
    Stage(name: "materialize, dematerialize", waitsForDemand: false, trigger: .nothing) { base, _ in
      base.materialize().dematerialize().eraseToAnyPublisher()
    },
  ]
}
