import Foundation
import Streams

/// A test that is verified as a whole: the stubs that it made or used.
final class StubScope: Sendable {
  @TaskLocal static var current: StubScope?

  /// The ways in which a test library reports.
  struct Reports: Sendable {
    /// Reports a failure on the test's own task while the test runs; nil if only the end reports.
    ///
    /// Returns whether the failure fails the test.
    var atOnce: (@Sendable (StubFailure) -> Bool)?
    /// Reports a failure that came after the end of the test, on any thread.
    var late: @Sendable (StubFailure) -> Void = { failure in
      StubScope.writeNotice("This came after the end of its test.\n\(failure)")
    }
  }

  private struct State {
    var logs: [StubLog] = []
    var isOver = false
    /// The failures that were reported at once and failed the test.
    var reported: Set<String> = []
    var hasReported = false
  }

  private let reports: Reports
  private let state = Lock(State())

  init(_ reports: Reports = Reports()) {
    self.reports = reports
  }

  var isOver: Bool { state.withLock { $0.isOver } }

  /// Whether a failure was reported so far.
  var hasReported: Bool { state.withLock { $0.hasReported } }

  /// Whether a failure on this task is reported when it happens.
  var reportsAtOnce: Bool { reports.atOnce != nil && self === Self.current && !isOver }

  /// Returns the test that a failure of a transport belongs to: that of the task, if it still runs,
  /// or the one that made the transport.
  static func test(ofTransportIn home: StubScope?) -> StubScope? {
    guard let current, !current.isOver || home == nil else { return home }
    return current
  }

  /// Adds a transport, unless the test has it or is over.
  func add(_ log: StubLog) {
    state.withLock { state in
      if !state.isOver, !state.logs.contains(where: { $0 === log }) { state.logs.append(log) }
    }
  }

  /// Reports a failure when it happens; once, unless it was a known one.
  ///
  /// - Parameter detail: Lines that are no part of the failure.
  func reportAtOnce(_ failure: StubFailure, detail: String?) {
    let key = "\(failure.location):\(failure.location.column) \(failure)"
    guard let report = reports.atOnce, state.withLock({ !$0.reported.contains(key) }) else {
      return
    }
    let isFailure = report(detail.map(failure.adding) ?? failure)
    state.withLock { state in
      state.hasReported = true
      if isFailure { state.reported.insert(key) }
    }
  }

  /// Reports failures that came after the end of the test.
  func reportLate(_ failures: [StubFailure]) {
    failures.forEach(reports.late)
  }

  /// Ends the test, and reports its failures.
  ///
  /// If there are none, writes the recordings.
  ///
  /// - Parameter hasThrown: Whether the test has thrown an error.
  func end(hasThrown: Bool, _ report: (StubFailure) -> Void) {
    // First, so that a failure that comes now finds either this end or the end of the test.
    let logs = state.withLock { state in
      state.isOver = true
      return state.logs
    }
    var failures = logs.flatMap { $0.tellRemaining(in: self) }
    if !hasThrown, failures.isEmpty, !logs.contains(where: \.hasFailed) {
      failures = logs.flatMap { $0.save() }
    }
    // The transports hold this object.
    state.withLock { state in
      state.logs = []
      state.hasReported = state.hasReported || !failures.isEmpty
    }
    failures.forEach(report)
  }

  /// Writes a text to standard error.
  static func writeNotice(_ text: String) {
    // The other method of writing traps if the stream is closed.
    try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8))
  }
}
