/// What the kit found out about one publisher, operator or subject.
public struct ConformanceReport: Sendable, CustomStringConvertible {
  /// A rule that was broken.
  public struct Finding: Sendable, Hashable, CustomStringConvertible {
    public let rule: ConformanceRule
    /// What the kit did.
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

  /// What was checked, by the name that the check was given.
  public let subject: String
  /// The rules that were broken, in the order in which that was noticed.
  public let findings: [Finding]
  /// The rules that were put to the test and kept.
  public let kept: [ConformanceRule]
  /// The rules that were left out, each with the reason.
  public let skipped: [ConformanceRule: String]

  /// Whether no rule was broken.
  public var isConforming: Bool { findings.isEmpty }

  /// The rules that were broken.
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
