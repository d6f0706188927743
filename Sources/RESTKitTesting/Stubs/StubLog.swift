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
    var failures: [StubFailure] = []
    var deferred: [Deferred] = []
    /// The number of failures that ``StubTransport/verify()`` has reported.
    var toldFailures = 0
    var hasToldUnused = false

    /// Adds a request, and returns its number, from 1.
    mutating func note(
      _ request: URLRequest, _ origin: CallOrigin, stub: StubLocation?
    ) -> Int {
      let id = journal.count + 1
      journal.append(StubExchange(id: id, request: request, origin: origin, stub: stub))
      return id
    }
  }

  private let scripts: [[StubPlay]]
  private let location: StubLocation
  private let hidesSecrets: Bool
  private let recording: Recording?
  /// The test that is verified as a whole, if any.
  private let scope: StubScope?
  private let state: Lock<State>

  init(
    _ scripts: [StubAPIResponse], location: StubLocation, hidesSecrets: Bool = false,
    recording: Recording? = nil
  ) {
    self.scripts = scripts.map { $0.steps.map(StubPlay.init) }
    self.location = location
    self.hidesSecrets = hidesSecrets
    self.recording = recording
    scope = StubScope.current
    state = Lock(State(positions: scripts.map { _ in Position() }))
    scope?.add(self)
  }

  deinit {
    // A scope verifies its own logs.
    guard scope == nil, let notice else { return }
    // The other method of writing traps if the stream is closed.
    try? FileHandle.standardError.write(contentsOf: Data("\(notice)\n".utf8))
  }

  var journal: [StubExchange] { state.withLock { $0.journal } }

  // MARK: Requests

  /// Takes the matching response for a request out of the scripts.
  ///
  /// - Parameter origin: The request's attempt of its call, and the reason for the attempt.
  func take(
    for request: URLRequest, origin: CallOrigin
  ) throws(StubError) -> (exchange: Int, play: StubPlay) {
    guard let taken = claim(request, origin: origin) else {
      throw unmatched(request, origin: origin)
    }
    if let failure = taken.play.flaw {
      state.withLock { $0.failures.append(failure) }
      end(taken.exchange, .failed)
      throw error(failure)
    }
    for verification in taken.play.step.verifications {
      try verify(verification, request, taken.exchange)
    }
    return taken
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
  ) -> (exchange: Int, play: StubPlay)? {
    while true {
      guard let (script, position, next) = firstMatch(for: request) else { return nil }
      let play = scripts[script][next.step]
      let exchange: Int? = state.withLock { state in
        guard state.positions[script] == position else { return nil }
        state.positions[script] = next
        return state.note(request, origin, stub: play.step.location)
      }
      if let exchange { return (exchange, play) }
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
      return scripts[script].enumerated().map { index, play in
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
      state.failures.append(failure)
    }
    return error(failure)
  }

  private func error(_ failure: StubFailure) -> StubError {
    StubError(failures: [failure], isReported: scope != nil)
  }

  // MARK: Verification

  private func verify(
    _ verification: StubVerification, _ request: URLRequest, _ exchange: Int
  ) throws(StubError) {
    // A test library assigns failures to a test by its task.
    guard scope == nil || scope === StubScope.current else {
      state.withLock { $0.deferred.append(Deferred(verification: verification, request: request)) }
      return
    }
    guard let failure = failure(of: verification, for: request) else { return }
    state.withLock { $0.failures.append(failure) }
    end(exchange, .failed)
    throw error(failure)
  }

  private func failure(
    of verification: StubVerification, for request: URLRequest
  ) -> StubFailure? {
    do {
      try verification.body(request)
      return nil
    } catch {
      return .verification(verification, of: RequestSummary(request), error: error)
    }
  }

  /// The responses that were not used often enough.
  var unused: [StubFailure] { unusedSteps.map { .unused($0.step, uses: $0.uses) } }

  private var unusedSteps: [(step: StubStep, uses: Int)] {
    let positions = state.withLock { $0.positions }
    return zip(scripts, positions).flatMap { plays, position in
      plays.enumerated().dropFirst(position.step).compactMap { index, play in
        let uses = index == position.step ? position.uses : 0
        return uses < play.step.uses.lowerBound ? (play.step, uses) : nil
      }
    }
  }

  /// Whether there is a failure so far, apart from unused responses.
  var hasFailed: Bool { state.withLock { !$0.failures.isEmpty } }

  /// Returns all failures so far, and marks them as reported.
  func tellFailures() -> [StubFailure] {
    runDeferred()
    let unused = unusedSteps
    let failures = state.withLock { state in
      state.toldFailures = state.failures.count
      state.hasToldUnused = true
      return state.failures
    }
    return Self.folded(failures, unused: unused)
  }

  /// Returns the failures that were not reported yet.
  func tellRemainingFailures() -> [StubFailure] {
    runDeferred()
    let unused = unusedSteps
    let (failures, tellsUnused) = state.withLock { state in
      defer {
        state.toldFailures = state.failures.count
        state.hasToldUnused = true
      }
      // After a reported failure, unused responses are only its consequence.
      return (
        Array(state.failures.dropFirst(state.toldFailures)),
        !state.hasToldUnused && (state.toldFailures == 0)
      )
    }
    return Self.folded(failures, unused: tellsUnused ? unused : [])
  }

  /// Folds equal failures into one, and adds unused responses to the first failure.
  private static func folded(
    _ failures: [StubFailure], unused: [(step: StubStep, uses: Int)]
  ) -> [StubFailure] {
    var counts: [String: Int] = [:]
    for failure in failures { counts[failure.description, default: 0] += 1 }
    var folded = failures.compactMap { failure -> StubFailure? in
      guard let count = counts.removeValue(forKey: failure.description) else { return nil }
      return count == 1 ? failure : failure.adding("This happened \(count) times.")
    }
    guard !unused.isEmpty, let first = folded.first else {
      return folded + unused.map { .unused($0.step, uses: $0.uses) }
    }
    let list = unused.map { "  \($0.step)" }.joined(separator: "\n")
    folded[0] = first.adding("Unused, perhaps because of this:\n\(list)")
    return folded
  }

  /// Writes the recording.
  ///
  /// - Returns: The reasons why it was not written; empty if it was.
  func save() -> [StubFailure] { recording?.save() ?? [] }

  /// The text for a test that was never verified and in which no call has failed.
  private var notice: String? {
    guard state.withLock({ !$0.hasToldUnused && $0.failures.isEmpty }) else { return nil }
    let unused = unusedSteps.map { "  \($0.step)" }
    guard
      let text = unused.isEmpty
        ? recording?.notice : (["No request came for:"] + unused).joined(separator: "\n")
    else { return nil }
    return """
      The StubTransport at \(location) was released and never verified.
      \(text)
      Use the trait .stubs, or call verify() at the end of the test.
      """
  }

  private func runDeferred() {
    let deferred = state.withLock { state in
      defer { state.deferred = [] }
      return state.deferred
    }
    for item in deferred {
      guard let failure = failure(of: item.verification, for: item.request) else { continue }
      state.withLock { $0.failures.append(failure) }
    }
  }
}
