import Streams

/// Checks that a subject keeps the contract: one order for all its subscribers, with sends from
/// inside of deliveries and from several threads, and what is checked of any publisher.
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
  ///   - subject: What the report calls the subject; its type if nil.
  ///   - patience: How long to wait for what should come at once before it is said to hang.
  ///   - make: Makes a subject that has not ended.
  public init(
    _ subject: String? = nil, patience: Duration = .seconds(20),
    making make: @escaping @Sendable () -> Tested
  ) {
    self.subject = subject ?? "\(Tested.self)"
    self.patience = patience
    self.make = make
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
    let scenarios = SubjectTrial<Tested>.scenarios.map { provocation, run in
      Scenario(provocation) { run(SubjectTrial(make: make, patience: patience, log: $0)) }
    }
    return await ConformanceRun(
      subject: subject, scenarios: scenarios, skipped: skipped, patience: patience
    ).report()
  }
}
