import Streams

/// A check that an operator keeps the contract, towards its downstream and its upstream.
///
/// ```swift
/// @Test func everyOtherKeepsTheContract() async throws {
///   try await OperatorConformance { upstream, _ in upstream.everyOther() }.check()
/// }
/// ```
///
/// The closure attaches the operator to an upstream of the kit. The first upstream is a correct
/// source of numbers, so that the kit checks everything it checks for a publisher. The second one
/// sends on command, and breaks the rules in the end.
public struct OperatorConformance<Output: Sendable, Failure: Error>: Sendable {
  public typealias Upstream = AnyPublisher<Int, ConformanceError>

  let subject: String
  let traits: ConformanceTraits
  let attach: @Sendable (Upstream, ConformanceRig) -> AnyPublisher<Output, Failure>
  var skipped: [ConformanceRule: String]

  /// - Parameters:
  ///   - subject: The name of the operator in the report. If nil, the type of its publisher is
  ///     used.
  ///   - traits: The declared properties.
  ///   - attach: A closure that attaches the operator to an upstream. Closures of the operator must
  ///     call ``ConformanceRig/touch()``.
  public init<Stream: Publisher>(
    _ subject: String? = nil, traits: ConformanceTraits = ConformanceTraits(),
    attaching attach: @escaping @Sendable (Upstream, ConformanceRig) -> Stream
  ) where Stream.Output == Output, Stream.Failure == Failure {
    self.subject = subject ?? "\(Stream.self)"
    self.traits = traits
    self.attach = { attach($0, $1).eraseToAnyPublisher() }
    skipped = Self.exceptions(of: traits)
  }

  /// Returns a copy of this check that leaves rules out.
  ///
  /// - Parameters:
  ///   - rules: The rules that are not tested.
  ///   - reason: The reason why they do not apply, which the report repeats.
  public func skipping(_ rules: ConformanceRule..., because reason: String) -> Self {
    var copy = self
    for rule in rules { copy.skipped[rule] = reason }
    return copy
  }

  /// Checks every rule.
  ///
  /// - Throws: ``ConformanceFailure`` if a rule was broken.
  /// - Returns: The report of the check.
  @discardableResult
  public func check() async throws(ConformanceFailure) -> ConformanceReport {
    try await report().passed()
  }

  /// Checks every rule and returns a report, without throwing.
  public func report() async -> ConformanceReport {
    await ConformanceRun(
      subject: subject, scenarios: scenarios, skipped: skipped, patience: traits.patience
    ).report()
  }

  private var scenarios: [Scenario] {
    let asPublisher = Trial<Output, Failure>.scenarios.map { provocation, run in
      Scenario(provocation) { run(trial($0).asPublisher) }
    }
    let asOperator = OperatorTrial<Output, Failure>.scenarios.map { provocation, run in
      Scenario(provocation) { run(trial($0)) }
    }
    return asPublisher + asOperator
  }

  private func trial(_ log: ConformanceLog) -> OperatorTrial<Output, Failure> {
    OperatorTrial(attach: attach, traits: traits, log: log)
  }

  private static func exceptions(of traits: ConformanceTraits) -> [ConformanceRule: String] {
    var exceptions: [ConformanceRule: String] = [:]
    let ofCancel: [ConformanceRule] = [.upstreamCancel, .silenceAfterEnd, .strayAfterCancel]
    let ofEnd: [ConformanceRule] = [
      .secondSubscription, .valueAfterEnd, .secondEnd, .beforeSubscription,
    ]
    if traits.memory != .full {
      for rule in ofCancel { exceptions[rule] = "it hands its upstream's subscription on" }
    }
    if traits.memory == .none {
      for rule in ofEnd { exceptions[rule] = "it keeps no state and passes signals on unchanged" }
    }
    if traits.isShared {
      exceptions[.independence] = "its subscribers share one upstream"
      exceptions[.laziness] = "the upstream's values are not made for each subscriber"
    }
    if traits.isAsynchronous {
      exceptions[.constantStack] = "its values come on several threads"
    }
    return exceptions
  }
}

/// The failure of the upstreams that the kit provides.
public struct ConformanceError: Error, Hashable, Sendable {
  public init() {}
}
