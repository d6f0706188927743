/// The result of a check of one publisher, operator or subject.
public struct ConformanceReport: Sendable, CustomStringConvertible {
  /// A broken rule.
  public struct Finding: Sendable, Hashable, CustomStringConvertible {
    public let rule: ConformanceRule
    /// The action of the kit.
    public let provocation: String
    public let expected: String
    public let seen: String

    public var description: String {
      """
      \(rule)
        when:     \(provocation)
        expected: \(expected)
        seen:     \(seen)
        remedy:   \(rule.remedy)
      """
    }
  }

  /// The name of the checked publisher, operator or subject, as given to the check.
  public let subject: String
  /// The broken rules, in the order in which the kit found them.
  public let findings: [Finding]
  /// The rules that were tested and kept.
  public let kept: [ConformanceRule]
  /// The rules that were left out, each with the reason.
  public let skipped: [ConformanceRule: String]

  /// Whether no rule was broken.
  public var isConforming: Bool { findings.isEmpty }

  /// The broken rules.
  public var broken: [ConformanceRule] {
    ConformanceRule.allCases.filter { rule in findings.contains { $0.rule == rule } }
  }

  public var description: String {
    var lines = ["\(subject): \(broken.count) rules broken, \(kept.count) kept"]
    lines += findings.map(\.description)
    lines += ConformanceRule.allCases.compactMap { rule in
      skipped[rule].map { "left out \(rule.ids.joined(separator: ", ")) (\(rule.rawValue)): \($0)" }
    }
    return lines.joined(separator: "\n")
  }
}

/// The error of a check that found broken rules.
///
/// Its text names each rule, what the kit saw, and the remedy.
public struct ConformanceFailure: Error, CustomStringConvertible {
  public let report: ConformanceReport

  public var description: String { "\(report)" }
}
