import Streams
import StreamsFixtures
import StreamsTesting
import Testing

/// Something public that the conformance kit checks.
///
/// A row of the table of operators. Other tests use the set-ups of these rows, so that each
/// operator is entered once.
struct ConformanceEntry: Sendable, CustomTestStringConvertible {
  /// The declared name that this entry stands for.
  let name: String
  let testDescription: String
  var traits = ConformanceTraits()
  let report: @Sendable () async -> ConformanceReport
  /// The operator so that it changes nothing:
  /// ``changingNothing(trigger:waitsForDemand:isTail:_:)``.
  var stage: Stage?
  /// The operator for the tests of those that time: ``timed(_:)``.
  var timedStage: TimedStage?
  /// The operator for the tests of those that make one value of all: ``folding(to:_:)``.
  var foldForm: FoldForm?

  typealias Upstream = AnyPublisher<Int, ConformanceError>

  private static func title(_ name: String, _ detail: String) -> String {
    detail.isEmpty ? name : "\(name), \(detail)"
  }

  static func `operator`<Stream: Publisher>(
    _ name: String, _ detail: String = "", demand: ConformanceTraits.Demand = .passedOn,
    failures: ConformanceTraits.Failures = .passedOn, memory: ConformanceTraits.Memory = .full,
    isLossy: Bool = false, isOrdered: Bool = true,
    isShared: Bool = false, isAsynchronous: Bool = false, skipping: [ConformanceRule: String] = [:],
    _ attach: @escaping @Sendable (Upstream, ConformanceRig) -> Stream
  ) -> ConformanceEntry {
    let title = title(name, detail)
    let traits = ConformanceTraits(
      demand: demand, failures: failures, memory: memory, isLossy: isLossy, isOrdered: isOrdered,
      isShared: isShared, isAsynchronous: isAsynchronous, stackValues: stackValues,
      patience: patience)
    var conformance = OperatorConformance(title, traits: traits, attaching: attach)
    for (rule, reason) in skipping { conformance = conformance.skipping(rule, because: reason) }
    let checked = conformance
    return ConformanceEntry(name: name, testDescription: title, traits: traits) {
      await checked.report()
    }
  }

  static func publisher<Source: Publisher>(
    _ name: String, _ detail: String = "", isLossy: Bool = false, isAsynchronous: Bool = false,
    skipping: [ConformanceRule: String] = [:],
    _ make: @escaping @Sendable (ConformanceRig) -> Source
  ) -> ConformanceEntry {
    let title = title(name, detail)
    var conformance = PublisherConformance(
      title,
      traits: ConformanceTraits(
        isLossy: isLossy, isAsynchronous: isAsynchronous, stackValues: stackValues,
        patience: patience),
      making: make)
    for (rule, reason) in skipping { conformance = conformance.skipping(rule, because: reason) }
    let checked = conformance
    return ConformanceEntry(name: name, testDescription: title) { await checked.report() }
  }

  static func subject<Tested: Subject>(
    _ name: String, _ detail: String = "", _ make: @escaping @Sendable () -> Tested
  ) -> ConformanceEntry where Tested.Output == Int {
    let title = title(name, detail)
    let conformance = SubjectConformance(title, making: make)
    return ConformanceEntry(name: name, testDescription: title) { await conformance.report() }
  }

  static func hop<Stream: Publisher>(
    _ name: String, _ attach: @escaping @Sendable (Upstream, any Scheduler) -> Stream
  ) -> ConformanceEntry where Stream.Output == Int {
    let title = title(name, "as a hop")
    let conformance = HopConformance(title, attaching: attach)
    return ConformanceEntry(name: name, testDescription: title) { await conformance.report() }
  }

  /// A task waits for its turn behind all tests that were begun before it.
  ///
  /// Under ThreadSanitizer these take ten minutes.
  private static let patience = Duration.seconds(1_800)

  #if DEBUG
    private static let stackValues = 2_000
  #else
    private static let stackValues = 10_000
  #endif
}

extension ConformanceRig {
  /// Touches, and gives the value back.
  func pass<Value>(_ value: Value) -> Value {
    touch()
    return value
  }

  /// The kit's numbers, from a separate source.
  var numbers: Publishers.Sequence<Range<Int>, ConformanceError> {
    Publishers.Sequence(sequence: values)
  }

  /// One value, and the end.
  var zero: Publishers.SetFailureType<Just<Int>, ConformanceError> {
    Just(0).setFailureType(to: ConformanceError.self)
  }
}

extension Publisher {
  /// This publisher without its failure.
  var infallible: Publishers.Catch<Self, Empty<Output, Never>> {
    `catch` { _ in Empty<Output, Never>() }
  }
}
