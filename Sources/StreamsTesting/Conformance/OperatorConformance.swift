import Streams

/// Checks that an operator keeps the contract, towards what stands below it and above it.
///
/// ```swift
/// @Test func everyOtherKeepsTheContract() async throws {
///   try await OperatorConformance { upstream, _ in upstream.everyOther() }.check()
/// }
/// ```
///
/// The closure puts the operator on an upstream that the kit plays: at first a source of numbers that
/// keeps the contract, so that everything is checked that is checked of a publisher; then one that
/// is told when to send, and breaks the rules in the end.
public struct OperatorConformance<Output: Sendable, Failure: Error>: Sendable {
  public typealias Upstream = AnyPublisher<Int, ConformanceError>

  let subject: String
  let traits: ConformanceTraits
  let attach: @Sendable (Upstream, ConformanceRig) -> AnyPublisher<Output, Failure>
  var skipped: [ConformanceRule: String]

  /// - Parameters:
  ///   - subject: What the report calls the operator; the type of its publisher if nil.
  ///   - traits: What it declares about itself.
  ///   - attach: Puts it on an upstream. Closures that it takes are to call
  ///     ``ConformanceRig/touch()``.
  public init<Stream: Publisher>(
    _ subject: String? = nil, traits: ConformanceTraits = ConformanceTraits(),
    attaching attach: @escaping @Sendable (Upstream, ConformanceRig) -> Stream
  ) where Stream.Output == Output, Stream.Failure == Failure {
    self.subject = subject ?? "\(Stream.self)"
    self.traits = traits
    self.attach = { attach($0, $1).eraseToAnyPublisher() }
    skipped = Self.exceptions(of: traits)
  }

  /// Leaves rules out.
  ///
  /// - Parameters:
  ///   - rules: The rules that are not put to the test.
  ///   - reason: Why they do not hold here; the report repeats it.
  public func skipping(_ rules: ConformanceRule..., because reason: String) -> Self {
    var copy = self
    for rule in rules { copy.skipped[rule] = reason }
    return copy
  }

  /// Checks every rule.
  ///
  /// - Throws: ``ConformanceFailure`` if one was broken.
  /// - Returns: What was found out.
  @discardableResult
  public func check() async throws(ConformanceFailure) -> ConformanceReport {
    try await report().passed()
  }

  /// Checks every rule, and only tells.
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
      for rule in ofEnd { exceptions[rule] = "it keeps no state and passes on what it gets" }
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
