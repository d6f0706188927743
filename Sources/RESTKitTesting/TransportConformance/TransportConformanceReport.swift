/// A report of ``TransportConformance`` about one transport.
public struct TransportConformanceReport: Sendable, CustomStringConvertible {
  /// A broken rule.
  public struct Finding: Sendable, Hashable, CustomStringConvertible {
    public let rule: TransportRule
    public let expected: String
    public let seen: String

    public var description: String {
      """
      \(rule)
        expected: \(expected)
        seen:     \(seen)
      """
    }
  }

  /// The name of the transport, as given to the check.
  public let subject: String
  /// The broken rules, at most once each, in their order.
  public let findings: [Finding]
  /// The rules that were checked and kept.
  public let kept: [TransportRule]
  /// The rules that were left out, with the reason for each.
  public let skipped: [TransportRule: String]

  /// Whether no rule is broken.
  public var isConforming: Bool { findings.isEmpty }

  /// The broken rules.
  public var broken: [TransportRule] { findings.map(\.rule) }

  public var description: String {
    var lines = ["\(subject): \(findings.count) rules broken, \(kept.count) kept"]
    lines += findings.map(\.description)
    lines += TransportRule.allCases.compactMap { rule in
      skipped[rule].map { "left out \(rule.id) (\(rule.rawValue)): \($0)" }
    }
    return lines.joined(separator: "\n")
  }
}

/// An error of a check that found broken rules; its text names each rule with the observation.
public struct TransportConformanceFailure: Error, CustomStringConvertible {
  public let report: TransportConformanceReport

  public var description: String { "\(report)" }
}

/// A violation of a rule by a transport.
struct TransportViolation: Error {
  let expected: String
  let seen: String
}
