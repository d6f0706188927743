import RESTKit

/// Checks that a transport keeps what every transport promises, against a ``MockServer`` of its own.
///
/// ```swift
/// @Test func ourTransportKeepsThePromises() async throws {
///   try await TransportConformance { limits in OurTransport(limits: limits) }
///     .skipping(.headerLines, because: "its engine joins them")
///     .check()
/// }
/// ```
///
/// It uses no test library. Each rule gets transports of its own, and rules are checked one after
/// another, on loopback; only `unknownHost` asks the machine's resolver, for a name that never has an
/// address.
public struct TransportConformance: Sendable {
  let subject: String
  let make: @Sendable (TransportLimits) throws -> any Transport
  var skipped: [TransportRule: String] = [:]
  var patience = Duration.seconds(30)

  /// - Parameters:
  ///   - subject: What the report calls the transport.
  ///   - make: Makes one that keeps to these limits, anew for each call. It must not use a proxy for
  ///     127.0.0.1.
  public init(
    _ subject: String = "the transport",
    making make: @escaping @Sendable (TransportLimits) throws -> any Transport
  ) {
    self.subject = subject
    self.make = make
  }

  /// Leaves rules out.
  ///
  /// - Parameters:
  ///   - rules: The rules that are not put to the test.
  ///   - reason: Why they do not hold here; the report repeats it.
  public func skipping(_ rules: TransportRule..., because reason: String) -> Self {
    var copy = self
    for rule in rules { copy.skipped[rule] = reason }
    return copy
  }

  /// Checks with another patience.
  ///
  /// - Parameter patience: How long a rule may take before it is said to hang; 30 seconds at first.
  public func waiting(_ patience: Duration) -> Self {
    var copy = self
    copy.patience = patience
    return copy
  }

  /// Checks every rule that is not left out.
  ///
  /// - Throws: ``TransportConformanceFailure`` if one was broken.
  /// - Returns: What was found out.
  @discardableResult
  public func check() async throws(TransportConformanceFailure) -> TransportConformanceReport {
    let report = await report()
    guard report.isConforming else { throw TransportConformanceFailure(report: report) }
    return report
  }

  /// Checks every rule that is not left out, or some of them, and only tells.
  ///
  /// - Parameter rules: What to check; by default all.
  public func report(
    of rules: [TransportRule] = TransportRule.allCases
  ) async -> TransportConformanceReport {
    var findings: [TransportConformanceReport.Finding] = []
    var kept: [TransportRule] = []
    for rule in rules where skipped[rule] == nil {
      do throws(TransportSlip) {
        try await TransportTrial(rule: rule, patience: patience, make: make).run()
        kept.append(rule)
      } catch {
        findings.append(.init(rule: rule, expected: error.expected, seen: error.seen))
      }
    }
    return TransportConformanceReport(
      subject: subject, findings: findings, kept: kept, skipped: skipped)
  }
}
