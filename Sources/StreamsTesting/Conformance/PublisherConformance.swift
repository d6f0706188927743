import Streams

/// A check that a publisher keeps the contract.
///
/// ```swift
/// @Test func countdownKeepsTheContract() async throws {
///   try await PublisherConformance { Countdown(from: $0.count) }.check()
/// }
/// ```
///
/// The closure makes a new publisher for each provocation, with ``ConformanceRig/count`` values, or
/// with fewer if it cannot have so many. Everything runs on the kit's own threads, with stacks of
/// 512 KiB. The checks of one process run one after another.
public struct PublisherConformance<Output: Sendable, Failure: Error>: Sendable {
  let subject: String
  let traits: ConformanceTraits
  let make: @Sendable (ConformanceRig) -> AnyPublisher<Output, Failure>
  var skipped: [ConformanceRule: String]

  /// - Parameters:
  ///   - subject: The name of the publisher in the report. If nil, its type is used.
  ///   - traits: The declared properties.
  ///   - make: A closure that makes the publisher.
  public init<Source: Publisher>(
    _ subject: String? = nil, traits: ConformanceTraits = ConformanceTraits(),
    making make: @escaping @Sendable (ConformanceRig) -> Source
  ) where Source.Output == Output, Source.Failure == Failure {
    self.subject = subject ?? "\(Source.self)"
    self.traits = traits
    self.make = { make($0).eraseToAnyPublisher() }
    skipped = traits.isAsynchronous ? [.constantStack: "its values come on several threads"] : [:]
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

  var scenarios: [Scenario] {
    Trial<Output, Failure>.scenarios.map { provocation, run in
      Scenario(provocation) { log in run(Trial(make: make, traits: traits, log: log)) }
    }
  }
}
