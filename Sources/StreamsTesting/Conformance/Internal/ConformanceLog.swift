import Streams

/// The findings of one provocation, from any thread.
final class ConformanceLog: Sendable {
  struct Entries: Sendable {
    var findings: [ConformanceReport.Finding] = []
    var tested: Set<ConformanceRule> = []
  }

  let provocation: String
  private let state = Lock(Entries())

  init(_ provocation: String) {
    self.provocation = provocation
  }

  var entries: Entries { state.withLock { $0 } }

  /// Records that a rule was tested.
  func test(_ rule: ConformanceRule) {
    state.withLock { _ = $0.tested.insert(rule) }
  }

  /// Tests a rule.
  ///
  /// Only the first finding for a rule counts, because the others usually follow from it.
  func expect(
    _ rule: ConformanceRule, _ isKept: Bool, _ expected: @autoclosure () -> String,
    seen: @autoclosure () -> String
  ) {
    if isKept { return test(rule) }
    let finding = ConformanceReport.Finding(
      rule: rule, provocation: provocation, expected: expected(), seen: seen())
    state.withLock { entries in
      entries.tested.insert(rule)
      if !entries.findings.contains(where: { $0.rule == rule }) { entries.findings.append(finding) }
    }
  }
}
