import Streams

/// A check that a subject keeps the contract.
///
/// It checks that all subscribers see one order, with sends from inside deliveries and from several
/// threads, and everything the kit checks for a publisher.
///
/// ```swift
/// try await SubjectConformance { PassthroughSubject<Int, MyError>() }.check()
/// ```
public struct SubjectConformance<Tested: Subject>: Sendable where Tested.Output == Int {
  let subject: String
  let patience: Duration
  let make: @Sendable () -> Tested
  var skipped: [ConformanceRule: String] = [:]

  /// - Parameters:
  ///   - subject: The name of the subject in the report. If nil, its type is used.
  ///   - patience: The time to wait for a signal that should arrive at once, before the kit reports
  ///     that it hangs.
  ///   - make: A closure that makes a subject that has not ended.
  public init(
    _ subject: String? = nil, patience: Duration = .seconds(20),
    making make: @escaping @Sendable () -> Tested
  ) {
    self.subject = subject ?? "\(Tested.self)"
    self.patience = patience
    self.make = make
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
    let scenarios = SubjectTrial<Tested>.scenarios.map { provocation, run in
      Scenario(provocation) { run(SubjectTrial(make: make, patience: patience, log: $0)) }
    }
    return await ConformanceRun(
      subject: subject, scenarios: scenarios, skipped: skipped, patience: patience
    ).report()
  }
}
