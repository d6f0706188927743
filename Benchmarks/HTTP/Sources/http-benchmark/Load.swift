/// A number of calls and a number of callers.
struct Load: Sendable {
  let calls: Int
  /// The number of callers, each with one call at a time.
  let callers: Int
  /// Whether all callers begin their next call at the same time, after the last one has its
  /// response.
  var isTogether = false
  /// Whether the time of each call is recorded.
  var isTimed = true

  /// Makes the calls, and returns their results.
  ///
  /// - Parameter call: A closure that makes one call and returns the number of bytes of its body.
  func answers(by call: @escaping @Sendable () async throws -> Int) async throws -> Answers {
    guard isTogether else { return try await turn(of: calls, by: call) }
    var answers = Answers()
    answers.times.reserveCapacity(calls)
    for begun in stride(from: 0, to: calls, by: callers) {
      answers.add(try await turn(of: min(callers, calls - begun), by: call))
    }
    return answers
  }

  private func turn(
    of calls: Int, by call: @escaping @Sendable () async throws -> Int
  ) async throws -> Answers {
    try await withThrowingTaskGroup(of: Answers.self) { group in
      for caller in 0..<callers {
        let own = calls / callers + (caller < calls % callers ? 1 : 0)
        group.addTask { try await row(of: own, by: call) }
      }
      return try await group.reduce(into: Answers()) { $0.add($1) }
    }
  }

  /// Makes the calls of one caller.
  private func row(
    of calls: Int, by call: @Sendable () async throws -> Int
  ) async throws -> Answers {
    var answers = Answers()
    guard isTimed else {
      for _ in 0..<calls { answers.bytes += try await call() }
      return answers
    }
    answers.times.reserveCapacity(calls)
    var begin = ContinuousClock.now
    for _ in 0..<calls {
      answers.bytes += try await call()
      let end = ContinuousClock.now
      answers.times.append(end - begin)
      begin = end
    }
    return answers
  }
}

/// The results of calls.
struct Answers: Sendable {
  /// The number of bytes of all bodies.
  var bytes = 0
  /// The times of the calls, in no order.
  var times: [Duration] = []

  mutating func add(_ others: Answers) {
    bytes += others.bytes
    times += others.times
  }
}
