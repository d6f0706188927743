import Streams

/// A check that an operator that delivers on a scheduler keeps C-10.
///
/// It checks the order, the limit on waiting values, and a cancel with values on their way.
///
/// ```swift
/// try await HopConformance { upstream, scheduler in upstream.receive(on: scheduler) }.check()
/// ```
///
/// The kit's scheduler runs waiting jobs in reverse order, which exposes an operator that schedules
/// one job for each value. Check the operator with ``OperatorConformance``, too.
public struct HopConformance<Failure: Error>: Sendable {
  public typealias Upstream = AnyPublisher<Int, ConformanceError>

  let subject: String
  let attach: @Sendable (Upstream, any Scheduler) -> AnyPublisher<Int, Failure>
  var skipped: [ConformanceRule: String] = [:]

  /// - Parameters:
  ///   - subject: The name of the operator in the report. If nil, the type of its publisher is
  ///     used.
  ///   - attach: A closure that attaches the operator to an upstream. The operator must deliver the
  ///     upstream's values on the scheduler.
  public init<Stream: Publisher>(
    _ subject: String? = nil,
    attaching attach: @escaping @Sendable (Upstream, any Scheduler) -> Stream
  ) where Stream.Output == Int, Stream.Failure == Failure {
    self.subject = subject ?? "\(Stream.self)"
    self.attach = { attach($0, $1).eraseToAnyPublisher() }
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
    let scenarios = HopTrial<Failure>.scenarios.map { provocation, run in
      Scenario(provocation) { run(HopTrial(attach: attach, log: $0)) }
    }
    return await ConformanceRun(
      subject: subject, scenarios: scenarios, skipped: skipped, patience: .seconds(20)
    ).report()
  }
}
