import Dispatch
import Streams

/// An action of the kit on the code it checks.
struct Scenario: Sendable {
  let provocation: String
  let run: @Sendable (ConformanceLog) -> Void

  init(_ provocation: String, run: @escaping @Sendable (ConformanceLog) -> Void) {
    self.provocation = provocation
    self.run = run
  }
}

/// A series of scenarios whose findings are collected.
struct ConformanceRun: Sendable {
  /// The one queue for the checks of the process.
  ///
  /// A check that has the available threads to itself is fast, and it blocks no thread of the pool
  /// that tasks share.
  private static let queue = DispatchQueue(label: "StreamsTesting.Conformance")
  let subject: String
  let scenarios: [Scenario]
  let skipped: [ConformanceRule: String]
  /// The time that one call may take.
  ///
  /// A scenario makes several calls.
  let patience: Duration

  func report() async -> ConformanceReport {
    await withCheckedContinuation { continuation in
      Self.queue.async { continuation.resume(returning: runAll()) }
    }
  }

  private func runAll() -> ConformanceReport {
    var findings: [ConformanceReport.Finding] = []
    var tested: Set<ConformanceRule> = []
    for scenario in scenarios {
      let log = ConformanceLog(scenario.provocation, skipped: Set(skipped.keys))
      let ends = ScenarioThread.runs(within: patience * 3) { scenario.run(log) }
      if !ends {
        log.expect(
          .noLockHeld, false, "the scenario ends",
          seen: "it still runs after \(patience * 3); the rest was left out")
      }
      findings += log.entries.findings
      tested.formUnion(log.entries.tested)
      if !ends { break }
    }
    findings = findings.filter { skipped[$0.rule] == nil }
    let broken = Set(findings.map(\.rule))
    return ConformanceReport(
      subject: subject, findings: findings,
      kept: ConformanceRule.allCases.filter {
        tested.contains($0) && !broken.contains($0) && skipped[$0] == nil
      },
      skipped: skipped)
  }
}

extension ConformanceReport {
  func passed() throws(ConformanceFailure) -> ConformanceReport {
    guard isConforming else { throw ConformanceFailure(report: self) }
    return self
  }
}

extension Trial {
  static var scenarios: [(String, @Sendable (Trial) -> Void)] {
    [
      ("everything is requested at once", { $0.everythingAtOnce() }),
      ("1, 1, 2, none and then the rest are requested", { $0.stepByStep() }),
      ("receive(_:) returns a demand", { $0.returnedDemand() }),
      ("receive(_:) requests one more", { $0.requestInside() }),
      ("more is requested than can be counted", { $0.saturation() }),
      ("nothing is requested", { $0.endWithoutDemand() }),
      ("all values are requested, and not one more", { $0.exactDemand() }),
      ("everything is requested, and one more later", { $0.heldEnd() }),
      ("three subscribers request at their own pace", { $0.severalSubscribers() }),
      ("the subscriber cancels when it gets its subscription", { $0.cancelInSubscription() }),
      ("the subscriber cancels from inside a value", { $0.cancelInValue() }),
      ("a closure of the publisher cancels", { $0.cancelInClosure() }),
      ("the subscriber cancels from inside the end", { $0.cancelInEnd() }),
      ("request and cancel are called after the stream is over", { $0.callsAfterwards() }),
      ("another thread cancels during a value", { $0.cancelElsewhere() }),
      ("another thread requests and subscribes during a value", { $0.callsFromElsewhere() }),
      ("every callback requests, subscribes and cancels", { $0.callsFromInside() }),
      ("two threads request and a third cancels", { $0.threads() }),
      ("very many values", { $0.stack() }),
      ("only the subscription is kept", { $0.release() }),
      ("it is subscribed twice", { $0.laziness() }),
    ]
  }
}

/// The findings of one provocation, from any thread.
final class ConformanceLog: Sendable {
  struct Entries: Sendable {
    var findings: [ConformanceReport.Finding] = []
    var tested: Set<ConformanceRule> = []
  }

  let provocation: String
  private let skipped: Set<ConformanceRule>
  private let state = Lock(Entries())

  init(_ provocation: String, skipped: Set<ConformanceRule> = []) {
    self.provocation = provocation
    self.skipped = skipped
  }

  /// Returns whether a rule is left out, so that nothing has to wait for it.
  func skips(_ rule: ConformanceRule) -> Bool { skipped.contains(rule) }

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
