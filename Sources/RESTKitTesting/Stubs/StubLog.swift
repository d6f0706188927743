import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The remaining scripts, the sent requests and the failures.
///
/// It is the same for stubs in memory and on a socket.
final class StubLog: Sendable {
  /// The position in a script: the last used response, and the number of its uses.
  private struct Position: Equatable {
    var step = 0
    var uses = 0
  }

  private struct Deferred {
    let verification: StubVerification
    let request: URLRequest
  }

  private struct State {
    var positions: [Position]
    var journal: [StubExchange] = []
    var findings = StubFindings()
    var deferred: [Deferred] = []
    /// What texts hide, with the names that the APIs of the requests declare; nil for nothing.
    var redaction: Redaction?

    /// Adds a request, and returns its number, from 1.
    mutating func note(
      _ request: URLRequest, _ origin: CallOrigin, stub: StubLocation?
    ) -> Int {
      let id = journal.count + 1
      journal.append(StubExchange(id: id, request: request, origin: origin, stub: stub))
      if origin.declaredSecrets != nil { redaction = redaction?.adding(origin.declaredSecrets) }
      return id
    }
  }

  private let scripts: [[StubPlay]]
  private let location: StubLocation
  private let hidesSecrets: Bool
  private let recording: Recording?
  /// The test that made the transport and is verified as a whole, if any.
  private let home: StubScope?
  private let state: Lock<State>

  init(
    _ scripts: [StubAPIResponse], location: StubLocation, hidesSecrets: Bool = false,
    recording: Recording? = nil
  ) {
    let redaction: Redaction? = hidesSecrets ? .byName : nil
    self.scripts = scripts.map { $0.steps.map { StubPlay($0.hiding(redaction)) } }
    self.location = location
    self.hidesSecrets = hidesSecrets
    self.recording = recording
    home = StubScope.current
    state = Lock(State(positions: scripts.map { _ in Position() }, redaction: redaction))
    home?.add(self)
  }

  deinit {
    // A scope verifies the logs of its test.
    if home == nil, let notice { StubScope.writeNotice(notice) }
  }

  var journal: [StubExchange] { state.withLock { $0.journal } }

  // MARK: Requests

  /// Takes the matching response for a request out of the scripts.
  ///
  /// - Parameter origin: The request's attempt of its call, and the reason for the attempt.
  func take(
    for request: URLRequest, origin: CallOrigin
  ) throws(StubError) -> (exchange: Int, play: StubPlay) {
    guard let (exchange, play, use) = claim(request, origin: origin) else {
      throw unmatched(request, origin: origin)
    }
    if let flaw = play.flaw {
      end(exchange, .failed)
      guard state.withLock({ $0.findings.noteFlaw(of: play) }) else {
        throw StubError(
          failures: [flaw], isReported: StubScope.test(ofTransportIn: home) != nil)
      }
      throw found(flaw)
    }
    for verification in play.step.verifications { try verify(verification, request, exchange) }
    return (exchange, try made(play, of: request, use: use, exchange))
  }

  /// Returns a response that its closure and its chances made of a request.
  private func made(
    _ play: StubPlay, of request: URLRequest, use: Int, _ exchange: Int
  ) throws(StubError) -> StubPlay {
    guard play.step.responder != nil || !play.step.chances.isEmpty else { return play }
    let failure: StubFailure
    do {
      let made = StubPlay(try play.step.made(of: request, use: use))
      guard let flaw = made.flaw else { return made }
      failure = flaw
    } catch {
      failure = StubFailure.response(of: play.step, to: RequestSummary(request), error: error)
        .hiding(state.withLock { $0.redaction })
    }
    end(exchange, .failed)
    throw found(failure)
  }

  /// Records the outcome of an exchange.
  ///
  /// Only the first end counts.
  ///
  /// - Parameter bytes: The number of further bytes of the body that the client got with it.
  func end(_ exchange: Int, _ outcome: StubExchange.Outcome, bytes: Int = 0) {
    state.withLock { state in
      state.journal[exchange - 1].bodyBytes += bytes
      if state.journal[exchange - 1].outcome == .pending {
        state.journal[exchange - 1].outcome = outcome
      }
    }
  }

  /// Records that the client has received this many more bytes of the body.
  func note(_ bytes: Int, of exchange: Int) {
    state.withLock { $0.journal[exchange - 1].bodyBytes += bytes }
  }

  // The matchers of a test run without the lock, so another request may have taken the response
  // that they found. This request then looks again.
  private func claim(
    _ request: URLRequest, origin: CallOrigin
  ) -> (exchange: Int, play: StubPlay, use: Int)? {
    while true {
      guard let (script, position, next) = firstMatch(for: request) else { return nil }
      let play = scripts[script][next.step]
      let exchange: Int? = state.withLock { state in
        guard state.positions[script] == position else { return nil }
        state.positions[script] = next
        return state.note(request, origin, stub: play.step.location)
      }
      if let exchange { return (exchange, play, next.uses) }
    }
  }

  private func firstMatch(
    for request: URLRequest
  ) -> (script: Int, position: Position, next: Position)? {
    // Let go at the end: to change an array that is held twice copies it.
    let positions = state.withLock { $0.positions }
    for script in scripts.indices {
      let next = firstNext(of: script, at: positions[script]) {
        scripts[script][$0.step].step.request.matches(request)
      }
      if let next { return (script, positions[script], next) }
    }
    return nil
  }

  /// Returns the next position of a script: the current response while it repeats, or a later one
  /// once the responses before it were used often enough.
  private func firstNext(
    of script: Int, at position: Position, where isWanted: (Position) -> Bool
  ) -> Position? {
    for index in position.step..<scripts[script].count {
      let uses = index == position.step ? position.uses : 0
      let needed = scripts[script][index].step.uses
      let next = Position(step: index, uses: uses + 1)
      if uses < needed.upperBound, isWanted(next) { return next }
      if uses < needed.lowerBound { return nil }
    }
    return nil
  }

  private func unmatched(_ request: URLRequest, origin: CallOrigin) -> StubError {
    let positions = state.withLock { $0.positions }
    let stubs = zip(scripts.indices, positions).flatMap { script, position in
      var next = Set<Int>()
      _ = firstNext(of: script, at: position) {
        next.insert($0.step)
        return false
      }
      // That of a file that could not be read is never used.
      let plays = scripts[script].enumerated().filter { $0.element.step.uses.upperBound > 0 }
      return plays.map { index, play in
        let standing: StubReport.Standing =
          next.contains(index) ? .next : index <= position.step ? .usedUp : .later
        return (step: play.step, standing: standing)
      }
    }
    let report = StubReport(
      request: request, stubs: stubs, hidesSecrets: hidesSecrets, declared: origin.declaredSecrets)
    let failure = StubFailure(.unmatchedRequest, at: report.location ?? location, "\(report)")
    state.withLock { state in
      let exchange = state.note(request, origin, stub: nil)
      state.journal[exchange - 1].outcome = .failed
    }
    return found(failure)
  }

  /// Notes a failure for its test, which is told once.
  ///
  /// - Returns: The error of the call.
  private func found(_ failure: StubFailure) -> StubError {
    let test = StubScope.test(ofTransportIn: home)
    test?.add(self)
    let isToldAtOnce = test?.reportsAtOnce == true
    state.withLock { $0.findings.add(failure, in: test, isToldAtOnce: isToldAtOnce) }
    if isToldAtOnce {
      let unused = unusedLines
      test?.reportAtOnce(
        failure,
        detail: unused.isEmpty
          ? nil : (["Unused so far:"] + unused).joined(separator: "\n"))
    } else if let test, test.isOver {
      test.reportLate(state.withLock { $0.findings.tell { $0 === test } })
    }
    return StubError(failures: [failure], isReported: test != nil)
  }

  // MARK: Verification

  private func verify(
    _ verification: StubVerification, _ request: URLRequest, _ exchange: Int
  ) throws(StubError) {
    // A test library assigns failures to a test by its task.
    if let home, StubScope.current?.isOver ?? true {
      state.withLock { $0.deferred.append(Deferred(verification: verification, request: request)) }
      if home.isOver {
        runDeferred()
        home.reportLate(state.withLock { $0.findings.tell { $0 === home } })
      }
      return
    }
    guard let failure = failure(of: verification, for: request) else { return }
    end(exchange, .failed)
    throw found(failure)
  }

  private func failure(
    of verification: StubVerification, for request: URLRequest
  ) -> StubFailure? {
    do {
      try verification.body(request)
      return nil
    } catch {
      return StubFailure.verification(verification, of: RequestSummary(request), error: error)
        .hiding(state.withLock { $0.redaction })
    }
  }

  /// The responses that were not used often enough.
  var unused: [StubFailure] { unusedSteps.map { .unused($0.step, uses: $0.uses) } }

  private var unusedSteps: [(step: StubStep, uses: Int)] {
    let (positions, redaction) = state.withLock { ($0.positions, $0.redaction) }
    return zip(scripts, positions).flatMap { plays, position in
      plays.enumerated().dropFirst(position.step).compactMap { index, play in
        let uses = index == position.step ? position.uses : 0
        return uses < play.step.uses.lowerBound ? (play.step.hiding(redaction), uses) : nil
      }
    }
  }

  private var unusedLines: [String] { unusedSteps.map { "  \($0.step)" } }

  /// Whether there is a failure so far, apart from unused responses.
  var hasFailed: Bool { state.withLock { !$0.findings.isEmpty } }

  /// Returns the error of all failures so far, and marks them as told; nil if there are none.
  func tellAll() -> StubError? {
    runDeferred()
    let test = StubScope.test(ofTransportIn: home)
    noteFlaws(in: test)
    let unused = unusedSteps
    let (failures, areToldAtOnce) = state.withLock { state in
      state.findings.hasToldUnused = true
      // Another test that shares the transport tells its own.
      _ = state.findings.tell { [home] in $0 == nil || $0 === test || $0 === home }
      return (state.findings.failures, state.findings.areToldAtOnce)
    }
    let all = folded(failures, unused: unused)
    return all.isEmpty
      ? nil : StubError(failures: all, isReported: !failures.isEmpty && areToldAtOnce)
  }

  /// Returns the failures of a test that were not told yet, and marks them as told.
  func tellRemaining(in test: StubScope) -> [StubFailure] {
    let isHome = test === home
    if isHome {
      runDeferred()
      noteFlaws(in: test)
    }
    let unused = unusedSteps
    let (failures, tellsUnused) = state.withLock { state in
      // After a told failure, unused responses are only its consequence.
      let tellsUnused =
        isHome && !state.findings.hasToldUnused && !state.findings.hasTold(in: test)
      if isHome { state.findings.hasToldUnused = true }
      return (state.findings.tell { $0 === test }, tellsUnused)
    }
    return folded(failures, unused: tellsUnused ? unused : [])
  }

  private func folded(
    _ failures: [StubFailure], unused: [(step: StubStep, uses: Int)]
  ) -> [StubFailure] {
    StubFindings.folded(
      failures, unused: unused.map { .unused($0.step, uses: $0.uses) },
      lines: unused.map { "  \($0.step)" })
  }

  /// Notes the responses that nobody could send, whether requests asked for them or not.
  private func noteFlaws(in test: StubScope?) {
    for play in scripts.joined() {
      guard let flaw = play.flaw else { continue }
      state.withLock { state in
        if state.findings.noteFlaw(of: play) { state.findings.add(flaw, in: test) }
      }
    }
  }

  /// Writes the recording.
  ///
  /// - Returns: The reasons why it was not written; empty if it was.
  func save() -> [StubFailure] { recording?.save() ?? [] }

  /// The text for a test that was never verified; nil if there is nothing to tell.
  private var notice: String? {
    noteFlaws(in: nil)
    let (failures, tellsUnused) = state.withLock { state in
      (state.findings.tell { $0 == nil }, !state.findings.hasToldUnused)
    }
    let unused = tellsUnused ? unusedLines : []
    var lines = StubFindings.folded(failures, unused: [], lines: []).map(\.notice)
    if !unused.isEmpty { lines += ["No request came for:"] + unused }
    if lines.isEmpty, tellsUnused, let notice = recording?.notice { lines = [notice] }
    guard !lines.isEmpty else { return nil }
    return """
      The StubTransport at \(location) was released and never verified.
      \(lines.joined(separator: "\n"))
      Use the trait .stubs, or call verify() at the end of the test.
      """
  }

  /// Runs the checks of requests that came on another thread than the test's.
  private func runDeferred() {
    let deferred = state.withLock { state in
      defer { state.deferred = [] }
      return state.deferred
    }
    for item in deferred {
      guard let failure = failure(of: item.verification, for: item.request) else { continue }
      state.withLock { [home] in $0.findings.add(failure, in: home) }
    }
  }
}
