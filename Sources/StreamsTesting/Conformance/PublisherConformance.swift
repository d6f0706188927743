import Streams

/// Checks that a publisher keeps the contract.
///
/// ```swift
/// @Test func countdownKeepsTheContract() async throws {
///   try await PublisherConformance { Countdown(from: $0.count) }.check()
/// }
/// ```
///
/// The closure makes the publisher, anew for each provocation, of as many values as
/// ``ConformanceRig/count`` says or, if it cannot have so many, fewer. Everything runs on threads of
/// the kit's own, with stacks of 512 KiB; checks of one process run one after another.
public struct PublisherConformance<Output: Sendable, Failure: Error>: Sendable {
  let subject: String
  let traits: ConformanceTraits
  let make: @Sendable (ConformanceRig) -> AnyPublisher<Output, Failure>
  var skipped: [ConformanceRule: String]

  /// - Parameters:
  ///   - subject: What the report calls the publisher; its type if nil.
  ///   - traits: What it declares about itself.
  ///   - make: Makes the publisher.
  public init<Source: Publisher>(
    _ subject: String? = nil, traits: ConformanceTraits = ConformanceTraits(),
    making make: @escaping @Sendable (ConformanceRig) -> Source
  ) where Source.Output == Output, Source.Failure == Failure {
    self.subject = subject ?? "\(Source.self)"
    self.traits = traits
    self.make = { make($0).eraseToAnyPublisher() }
    skipped = traits.isAsynchronous ? [.constantStack: "its values come on several threads"] : [:]
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

  var scenarios: [Scenario] {
    Trial<Output, Failure>.scenarios.map { provocation, run in
      Scenario(provocation) { log in run(Trial(make: make, traits: traits, log: log)) }
    }
  }
}
