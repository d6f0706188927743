/// The deviations from a transport's scripts, and which of them were told.
struct StubFindings: Sendable {
  private struct Finding {
    let failure: StubFailure
    /// The test that it belongs to; nil for none that is verified as a whole.
    let test: StubScope?
    var isTold: Bool
    /// Whether its test told it when it happened.
    let isToldAtOnce: Bool
  }

  private var all: [Finding] = []
  private var flawed: Set<ObjectIdentifier> = []
  /// Whether the unused responses were told.
  var hasToldUnused = false

  var isEmpty: Bool { all.isEmpty }

  /// Whether each one was told when it happened.
  var areToldAtOnce: Bool { all.allSatisfy(\.isToldAtOnce) }

  var failures: [StubFailure] { all.map(\.failure) }

  mutating func add(_ failure: StubFailure, in test: StubScope?, isToldAtOnce: Bool = false) {
    all.append(
      Finding(
        failure: failure, test: test, isTold: isToldAtOnce, isToldAtOnce: isToldAtOnce))
  }

  /// Notes that the flaw of a response is a finding.
  ///
  /// - Returns: Whether it was none so far.
  mutating func noteFlaw(of play: StubPlay) -> Bool {
    flawed.insert(ObjectIdentifier(play)).inserted
  }

  /// Whether a finding of a test was told.
  func hasTold(in test: StubScope?) -> Bool {
    all.contains { $0.isTold && $0.test === test }
  }

  /// Returns the findings of tests that were not told, and marks them as told.
  mutating func tell(where isWanted: (StubScope?) -> Bool) -> [StubFailure] {
    all.indices.compactMap { index in
      guard !all[index].isTold, isWanted(all[index].test) else { return nil }
      all[index].isTold = true
      return all[index].failure
    }
  }

  /// Folds equal failures into one, and adds unused responses to the first failure.
  static func folded(
    _ failures: [StubFailure], unused: [StubFailure], lines: [String]
  ) -> [StubFailure] {
    var counts: [String: Int] = [:]
    for failure in failures { counts[failure.description, default: 0] += 1 }
    var folded = failures.compactMap { failure -> StubFailure? in
      guard let count = counts.removeValue(forKey: failure.description) else { return nil }
      return count == 1 ? failure : failure.adding("This happened \(count) times.")
    }
    guard !lines.isEmpty, let first = folded.first else { return folded + unused }
    folded[0] = first.adding(
      (["Unused, perhaps because of this:"] + lines).joined(separator: "\n"))
    return folded
  }
}
