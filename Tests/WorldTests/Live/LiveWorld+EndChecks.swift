import Fixtures
import Foundation
import RESTKit
import Streams

// The invariants of how streams go on, and end.
extension LiveWorld {
  private static let transient = RetryPolicy.transientStatuses

  /// - Parameter isWhole: Whether the last response was accepted and is complete.
  func faults(
    ofEnd reader: LiveReader, _ records: [LiveNetwork.Record], isWhole: Bool
  ) -> [String] {
    guard let end = reader.end else { return [] }
    let ask = reader.ask
    let last = records.last
    guard case .failure(let failure) = end else {
      return faults(ofFinish: reader, records, isWhole: isWhole)
    }
    switch failure {
    case TokenSessionError.signedOut:
      let isOut = reader.user == nil || reader.epoch != reader.app?.epoch
      return isOut ? [] : ["fails with \(failure)"]
    case is TokenSessionError: return reader.app == nil ? ["fails with \(failure)"] : []
    case let error as RESTError:
      if error.underlyingError is CallDeadlineError {
        return hasPassed(reader) ? [] : ["fails with \(error) before its deadline"]
      }
      // A failure may come behind the head of an earlier attempt, whose body was cut.
      let mayBeOlder = last?.script.status == 401 || last?.hasHead == false
      let isExplained = records.contains { record in
        (mayBeOlder || record.sent == last?.sent) && Self.explains(record, error, of: ask.kind)
      }
      guard isExplained else {
        return ["fails with \(error) after \(account(of: last))"]
      }
      // Each connection has a refresh of its own.
      let refusals = Self.attempts(records).last?.count { $0.script.status == 401 } ?? 0
      if ask.kind.isLasting, error.kind == .status(401), refusals == 1 {
        return ["fails with a refused token, and asks for no other"]
      }
      guard ask.kind == .feed, reader.app == nil, ask.deadline == nil,
        !Self.isSpent(ask, records), Self.isTransient(error)
      else { return [] }
      return ["gives up too early, with \(error)"]
    default: return ["fails with \(failure)"]
    }
  }

  private func faults(
    ofFinish reader: LiveReader, _ records: [LiveNetwork.Record], isWhole: Bool
  ) -> [String] {
    let (ask, last) = (reader.ask, records.last)
    if case .prefix(let count) = ask.reading, reader.values.count == count { return [] }
    if last?.script.status == 204, last?.hasHead == true { return [] }
    guard isWhole else { return ["finishes after \(account(of: last))"] }
    guard ask.kind.isLasting, ask.policy.reconnectsAfterEnd, reader.app == nil else { return [] }
    let isSpent = ask.policy.maxFailures.map { $0 <= Self.failures(records) } ?? false
    return isSpent ? [] : ["does not go on after \(account(of: last))"]
  }

  func account(of record: LiveNetwork.Record?) -> String {
    guard let record else { return "nothing" }
    return
      "\(record.script.status ?? 0), \(record.handed) bytes, \(String(describing: record.outcome))"
  }

  /// Whether the last exchange is the reason of a failure.
  private static func explains(
    _ last: LiveNetwork.Record?, _ error: RESTError, of kind: LivePlan.Kind
  ) -> Bool {
    switch error.kind {
    case .status(let status): last?.script.status == status && last?.hasHead == true
    case .transport(let fault):
      // The time to the head includes a refresh.
      last?.outcome == .fault(fault)
        || fault == .timedOut && (last?.outcome == .cancelled || last?.script.status == 401)
    case .malformedResponse:
      last?.hasHead == true && last?.script.body == nil
        && last?.script.status == (kind.isOneBody ? 206 : 200)
    default: false
    }
  }

  private static func isTransient(_ error: RESTError) -> Bool {
    switch error.kind {
    case .status(let status): transient.contains(status)
    case .transport(let kind): RetryPolicy.transientFaults.contains(kind)
    default: false
    }
  }

  // MARK: Attempts

  /// The exchanges of each attempt: with redirects, and with the repetition after a refusal.
  private static func attempts(_ records: [LiveNetwork.Record]) -> [[LiveNetwork.Record]] {
    records.reduce(into: []) { attempts, record in
      let before = attempts.last?.last
      let isRepeated =
        before?.script.status == 401
        || before?.departed == false && before?.outcome == .fault(.timedOut)
      if let before, record.isHop || isRepeated, before.outcome != nil {
        attempts[attempts.count - 1].append(record)
      } else {
        attempts.append([record])
      }
    }
  }

  private static func hasDelivered(_ attempt: [LiveNetwork.Record]) -> Bool {
    attempt.contains {
      !$0.values.isEmpty || $0.isFollowed && $0.handed > 0 && $0.script.body != nil
    }
  }

  /// The number of the last attempts without an event.
  private static func failures(_ records: [LiveNetwork.Record]) -> Int {
    attempts(records).reversed().prefix { !hasDelivered($0) }.count
  }

  /// Whether a rule of the policy allows no further connection.
  private static func isSpent(_ ask: LivePlan.Ask, _ records: [LiveNetwork.Record]) -> Bool {
    if let most = ask.policy.maxFailures, failures(records) >= most { return true }
    if let wait = records.last?.retryAfter, wait > ask.policy.maxRetryAfter { return true }
    return missing(ask, records) + 10 > ask.policy.burst * 10
  }

  /// The shortest wait for a connection.
  private static func least(_ ask: LivePlan.Ask, _ delay: Duration?) -> Duration {
    max(
      delay.map { min($0, LivePlan.Policy.maxServerDelay) } ?? ask.policy.delay, .milliseconds(100))
  }

  /// What connections have taken from the budget of a stream, in tenths.
  private static func missing(_ ask: LivePlan.Ask, _ records: [LiveNetwork.Record]) -> Int {
    var (missing, failures) = (0, 0)
    let attempts = attempts(records)
    for (attempt, next) in zip(attempts, attempts.dropFirst()) {
      guard let last = attempt.last, let next = next.first else { continue }
      if last.script.status == 200, last.hasHead, last.script.body != nil, missing > 0 {
        missing -= 1
      }
      guard !hasDelivered(attempt) else {
        (missing, failures) = (0, 0)
        continue
      }
      failures += 1
      let isEnded = last.outcome == .finished && last.script.status == 200
      let isThrottled =
        last.script.status == 429 && last.hasHead && last.retryAfter ?? .zero > .zero
      let most = max(ask.policy.maxDelay - least(ask, next.delay), .zero)
      let isLongest = ask.policy.delay * (1 << min(failures, 20)) >= most
      if !isEnded, !isThrottled, !isLongest { missing += 10 }
    }
    return missing
  }

  func faults(ofPauses reader: LiveReader, _ records: [LiveNetwork.Record]) -> [String] {
    let ask = reader.ask
    let attempts = Self.attempts(records)
    var faults: [String] = []
    func expect(_ isSo: Bool, _ text: @autoclosure () -> String) {
      if !isSo { faults.append(text()) }
    }
    var run = 0
    for (attempt, following) in zip(attempts, attempts.dropFirst()) {
      guard let last = attempt.last, let next = following.first, let ended = last.ended else {
        continue
      }
      let pause = next.sent - ended
      var least = ask.kind.isLasting ? Self.least(ask, next.delay) : .zero
      var most = max(ask.policy.maxDelay, least)
      if let wait = last.retryAfter, last.hasHead {
        expect(wait <= ask.policy.maxRetryAfter, "waits for \(wait)")
        (least, most) = (least + wait, most + wait)
      }
      expect(pause >= least, "waits for \(pause), not \(least)")
      let isAlone = ask.session == nil && ask.deadline == nil && ask.reading.isPrompt
      expect(!ask.kind.isLasting || !isAlone || pause <= most, "waits for \(pause), not \(most)")
      run = Self.hasDelivered(attempt) ? 0 : run + 1
      switch ask.kind {
      case .feed, .watch:
        expect(ask.policy.maxFailures.map { run < $0 } ?? true, "fails \(run) times in a row")
      case .chat:
        expect(
          last.outcome == .fault(.connectionRefused), "is sent again after \(account(of: last))")
      case .rowsOfEndpoint: faults.append("is sent again after \(account(of: last))")
      case .lines:
        expect(
          last.handed == 0 || last.script.body == nil,
          "is sent again after \(account(of: last))")
      case .tail, .follow, .rows, .records, .call: break
      }
    }
    if ask.kind == .feed, ask.session == nil {
      let missing = Self.missing(ask, records)
      expect(missing <= ask.policy.burst * 10, "takes \(missing) tenths from its budget")
    } else if !ask.kind.isLasting {
      faults += self.faults(ofRetries: reader, attempts)
    }
    return faults
  }

  /// The attempts and the time of a retry, which begin anew with each chunk or value.
  private func faults(
    ofRetries reader: LiveReader, _ attempts: [[LiveNetwork.Record]]
  ) -> [String] {
    let ask = reader.ask
    guard ask.kind != .rowsOfEndpoint, ask.kind != .chat else { return [] }
    var faults: [String] = []
    var (count, since) = (0, reader.begin)
    for (index, attempt) in attempts.enumerated() {
      guard let first = attempt.first, let last = attempt.last else { continue }
      if index > 0, let total = ask.policy.total, ask.session == nil, ask.reading.isPrompt,
        first.sent > since + total
      {
        faults.append("is sent again after \(first.sent - since)")
      }
      count += 1
      if count > ask.policy.attempts { faults.append("is sent \(count) times") }
      let isThrottled =
        last.script.status == 429 && last.hasHead && last.retryAfter ?? .zero > .zero
      let hasProgress =
        ask.kind.isOneBody
        ? last.handed > 0 && last.script.body != nil : Self.hasDelivered(attempt)
      if isThrottled { count -= 1 }
      if hasProgress { (count, since) = (1, last.lastHanded ?? since) }
    }
    return faults
  }
}
