import Streams

/// Checks that an operator that delivers on a scheduler keeps C-10: the order, a bound on what waits,
/// and a cancel with values on their way.
///
/// ```swift
/// try await HopConformance { upstream, scheduler in upstream.receive(on: scheduler) }.check()
/// ```
///
/// The scheduler that the kit gives runs what waits in the reverse order: who schedules one job a
/// value is found out. Check the operator with ``OperatorConformance``, too.
public struct HopConformance<Failure: Error>: Sendable {
  public typealias Upstream = AnyPublisher<Int, ConformanceError>

  let subject: String
  let attach: @Sendable (Upstream, any Scheduler) -> AnyPublisher<Int, Failure>
  var skipped: [ConformanceRule: String] = [:]

  /// - Parameters:
  ///   - subject: What the report calls the operator; the type of its publisher if nil.
  ///   - attach: Puts it on an upstream; it is to deliver the upstream's values on the scheduler.
  public init<Stream: Publisher>(
    _ subject: String? = nil,
    attaching attach: @escaping @Sendable (Upstream, any Scheduler) -> Stream
  ) where Stream.Output == Int, Stream.Failure == Failure {
    self.subject = subject ?? "\(Stream.self)"
    self.attach = { attach($0, $1).eraseToAnyPublisher() }
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
    let scenarios = HopTrial<Failure>.scenarios.map { provocation, run in
      Scenario(provocation) { run(HopTrial(attach: attach, log: $0)) }
    }
    return await ConformanceRun(
      subject: subject, scenarios: scenarios, skipped: skipped, patience: .seconds(20)
    ).report()
  }
}
