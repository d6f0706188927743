import Streams
import StreamsFixtures
import StreamsTesting

extension ConformanceEntry {
  /// Adds the operator set up so that all values pass as they are, for the tests of ``Stage/all``.
  ///
  /// - Parameters:
  ///   - trigger: The event that its closures run for.
  ///   - waitsForDemand: Whether it requests only as much as its downstream does; nil to follow the
  ///     traits.
  ///   - isTail: Whether it may add one more value and is therefore in ``Stage/tailing``.
  ///   - attach: Adds the operator. Its closures touch the rig.
  func changingNothing<Result: Publisher>(
    trigger: Stage.Trigger = .value, waitsForDemand: Bool? = nil, isTail: Bool = false,
    _ attach: @escaping @Sendable (Stage.Stream, Stage.Rig) -> Result
  ) -> ConformanceEntry where Result.Output == Int, Result.Failure == TestError {
    var entry = self
    entry.stage = Stage(
      name: testDescription, waitsForDemand: waitsForDemand ?? (traits.demand == .passedOn),
      hasOwnSubscription: traits.memory == .full, trigger: trigger, isTail: isTail
    ) { base, rig in attach(base, rig).eraseToAnyPublisher() }
    return entry
  }

  /// Adds the operator set up for the tests of ``TimedStage/all``, with a time of ten milliseconds.
  func timed<Result: Publisher>(
    _ attach: @escaping @Sendable (TimedStage.Stream, any Scheduler) -> Result
  ) -> ConformanceEntry where Result.Output == Int, Result.Failure == TestError {
    var entry = self
    entry.timedStage = TimedStage(
      name: testDescription, isGreedy: traits.demand == .unlimited
    ) { base, scheduler in attach(base, scheduler).eraseToAnyPublisher() }
    return entry
  }

  /// Adds the operator for the tests of ``FoldForm/all``.
  ///
  /// - Parameters:
  ///   - result: Its result for 1, 2, 3; nil if it has none.
  ///   - attach: Adds the operator. Its closures touch the rig, and want all of many values.
  func folding<Result: Publisher>(
    to result: String?, _ attach: @escaping @Sendable (Stage.Stream, Stage.Rig) -> Result
  ) -> ConformanceEntry where Result.Failure == TestError {
    var entry = self
    entry.foldForm = FoldForm(name: testDescription, result: result) { base, touch in
      attach(base, Stage.Rig(touch: touch)).inWords
    }
    return entry
  }
}

extension Stage {
  /// All that pass on each value, and the end without being asked.
  static let all = inTable.filter { !$0.isTail }

  /// Those that may add one more value, which waits for demand.
  static let tailing = inTable.filter(\.isTail)

  private static let inTable = ConformanceEntry.all.compactMap(\.stage)
}

extension TimedStage {
  static let all = ConformanceEntry.all.compactMap(\.timedStage)

  /// Those of the table that have these names.
  static func named(_ names: Set<String>) -> [TimedStage] {
    all.filter { names.contains($0.name) }
  }
}

extension FoldForm {
  static let all: [FoldForm] =
    ConformanceEntry.all.compactMap(\.foldForm)
    + TryForm<TestError>.folding.map { form in
      FoldForm(name: form.name, result: form.result) { base, touch in
        form.typed(base) { _ in touch() }
      }
    }
}
