import RESTKit

/// A conformance kit that checks a transport against the promises of every transport, over a
/// ``MockServer``.
///
/// ```swift
/// @Test func ourTransportKeepsThePromises() async throws {
///   try await TransportConformance { limits in OurTransport(limits: limits) }
///     .skipping(.headerLines, because: "its engine joins them")
///     .check()
/// }
/// ```
///
/// The kit uses no test library. It checks the rules one after another, on loopback, each with new
/// transports. Only `unknownHost` asks the machine's resolver, for a name that never has an
/// address.
public struct TransportConformance: Sendable {
  let subject: String
  let make: @Sendable (TransportLimits) throws -> any Transport
  var skipped: [TransportRule: String] = [:]
  var patience = Duration.seconds(30)
  var serve: TrialServing = { early, handler in try MockServer(early: early, handler: handler) }

  /// - Parameters:
  ///   - subject: The name of the transport in the report.
  ///   - make: A closure that makes a new transport with these limits. The transport must not use a
  ///     proxy for 127.0.0.1.
  public init(
    _ subject: String = "the transport",
    making make: @escaping @Sendable (TransportLimits) throws -> any Transport
  ) {
    self.subject = subject
    self.make = make
  }

  /// Returns a check that leaves out rules.
  ///
  /// - Parameters:
  ///   - rules: The rules that are not checked.
  ///   - reason: The reason why the transport does not keep them; the report repeats it.
  public func skipping(_ rules: TransportRule..., because reason: String) -> Self {
    var copy = self
    for rule in rules { copy.skipped[rule] = reason }
    return copy
  }

  /// Returns a check with another time for each rule.
  ///
  /// - Parameter patience: The time after which a rule counts as hanging; 30 seconds unless set.
  public func waiting(_ patience: Duration) -> Self {
    var copy = self
    copy.patience = patience
    return copy
  }

  /// Checks every rule that is not left out.
  ///
  /// - Throws: ``TransportConformanceFailure`` if a rule is broken.
  /// - Returns: The report.
  @discardableResult
  public func check() async throws(TransportConformanceFailure) -> TransportConformanceReport {
    let report = await report()
    guard report.isConforming else { throw TransportConformanceFailure(report: report) }
    return report
  }

  /// Checks every rule that is not left out, or some of them, without an error for broken rules.
  ///
  /// - Parameter rules: The rules to check; by default all.
  public func report(
    of rules: [TransportRule] = TransportRule.allCases
  ) async -> TransportConformanceReport {
    var findings: [TransportConformanceReport.Finding] = []
    var kept: [TransportRule] = []
    for rule in rules where skipped[rule] == nil {
      do throws(TransportViolation) {
        try await TransportTrial(rule: rule, patience: patience, make: make, serve: serve).run()
        kept.append(rule)
      } catch {
        findings.append(.init(rule: rule, expected: error.expected, seen: error.seen))
      }
    }
    return TransportConformanceReport(
      subject: subject, findings: findings, kept: kept, skipped: skipped)
  }
}
