import Streams
import StreamsFixtures
import StreamsTesting

extension ConformanceEntry {
  /// Operators with the kit's upstream in a place other than the first.
  ///
  /// They handle its violations, too.
  static let secondPlaces: [ConformanceEntry] = children + others + replacements

  private static let children: [ConformanceEntry] = [
    .operator("flatMap", "its child", demand: .own) { upstream, rig in
      rig.zero.flatMap { _ in upstream }
    },
    .operator("switchToLatest", "its child") { upstream, rig in
      rig.zero.map { _ in upstream }.switchToLatest()
    },
    .operator("flatMapFirst", "its child") { upstream, rig in
      rig.zero.flatMapFirst { _ in upstream }
    },
    .operator("flatMapLatest", "its child") { upstream, rig in
      rig.zero.flatMapLatest { _ in upstream }
    },
    .operator(
      "expand", "its child",
      skipping: [
        .endNeedsNoDemand: "a child is not subscribed before it is asked for",
        .failureAtOnce: "a child is not subscribed before it is asked for",
      ]
    ) { upstream, rig in
      rig.zero.prepend([Int]()).expand { $0 == 0 ? upstream : Empty().eraseToAnyPublisher() }
        .dropFirst()
    },
    .operator("concatenated", "the second") { upstream, _ in
      [Empty().eraseToAnyPublisher(), upstream].concatenated()
    },
    .operator("append", "the second") { upstream, _ in
      Empty<Int, ConformanceError>().append(upstream)
    },
  ]

  private static let others: [ConformanceEntry] = [
    .operator("merge", "the second", demand: .own, isOrdered: false) { upstream, rig in
      rig.numbers.merge(with: upstream)
    },
    .operator("zip", "the second", demand: .own) { upstream, rig in rig.numbers.zip(upstream) },
    .operator("race", "the second") { upstream, _ in
      Empty<Int, ConformanceError>(completeImmediately: false).race(with: upstream)
    },
    .operator(
      "withLatestFrom", "the other", demand: .unlimited,
      skipping: [.progress: "only the first publisher's values lead to any"]
    ) { upstream, _ in
      Empty<Int, ConformanceError>(completeImmediately: false).withLatestFrom(upstream)
    },
    .operator("prefix", "the other", demand: .own, failures: .handled) { upstream, _ in
      Empty<Int, ConformanceError>(completeImmediately: false).prefix(untilOutputFrom: upstream)
    },
    .operator(
      "drop", "the other", demand: .own,
      skipping: [.progress: "only the first publisher's values lead to any"]
    ) { upstream, _ in
      Empty<Int, ConformanceError>(completeImmediately: false).drop(untilOutputFrom: upstream)
    },
  ]

  private static let replacements: [ConformanceEntry] = [
    .operator("catch", "the replacement") { upstream, rig in
      Fail(outputType: Int.self, failure: ConformanceError()).catch { _ in
        rig.touch()
        return upstream
      }
    },
    .operator("retryOn", "the second attempt", failures: .handled) { upstream, _ in
      upstream.tryMap { (value: Int) throws(ConformanceError) -> Int in value }
        .retryOn(ConformanceError(), retries: 1, chainedPublisher: Empty<Never, Never>())
    },
    .operator("share", "of a share", demand: .unlimited, isLossy: true, isShared: true) {
      upstream, _ in
      upstream.share().share()
    },
    .operator("receive", "of what is received", memory: .full) { upstream, rig in
      upstream.receive(on: rig.scheduler).map { rig.pass($0) }.receive(on: .immediate)
    },
    .publisher("SingleFlight", "of many values") { rig in
      SingleFlight<String, Int, ConformanceError>().publisher(for: "key") {
        rig.numbers.map { rig.pass($0) }.last()
      }
    },
  ]
}
