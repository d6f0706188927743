/// What ``TransportConformance`` found out about one transport.
public struct TransportConformanceReport: Sendable, CustomStringConvertible {
  /// A rule that was broken.
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

  /// What was checked, by the name that the check was given.
  public let subject: String
  /// The rules that were broken, at most once each, in their order.
  public let findings: [Finding]
  /// The rules that were put to the test and kept.
  public let kept: [TransportRule]
  /// The rules that were left out, each with the reason.
  public let skipped: [TransportRule: String]

  /// Whether no rule was broken.
  public var isConforming: Bool { findings.isEmpty }

  /// The rules that were broken.
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
