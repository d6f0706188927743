import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

// The invariants at the end of a run.
extension World {
  /// Runs a plan and says what was wrong; nothing where all is well.
  static func faults(of plan: WorldPlan) -> [String] {
    let live = LiveSubscriptions()
    let (faults, sessions) = live.resume {
      let world = World(plan)
      world.run()
      let sessions = world.sessions.map { WeakSession($0.session) }
      let faults = world.complaints + world.callFaults + world.logFaults + world.storeFaults
      world.close()
      return (faults + (world.scheduler.pendingCount == 0 ? [] : ["timers are left"]), sessions)
    }
    return faults + (live.count == 0 ? [] : ["alive: \(live.names)"])
      + (sessions.allSatisfy { $0.session == nil } ? [] : ["a session is alive"])
  }

  private struct WeakSession {
    weak var session: TokenSession?

    init(_ session: TokenSession?) {
      self.session = session
    }
  }

  private var callFaults: [String] {
    let exchanges = network.state.withLock { $0.exchanges }
    let byCall = Dictionary(grouping: exchanges.filter { $0.call != nil }) { $0.call ?? 0 }
    var keys: [String: String] = [:]
    return calls.flatMap { call in
      faults(of: call, byCall[call.number] ?? [], &keys).map { "call \(call.number): \($0)" }
    }
  }

  private func faults(
    of call: WorldCall, _ exchanges: [WorldNetwork.RecordedExchange], _ keys: inout [String: String]
  ) -> [String] {
    var faults: [String] = []
    func expect(_ isSo: Bool, _ text: @autoclosure () -> String) {
      if !isSo { faults.append(text()) }
    }
    let outcome = call.outcome
    expect(
      outcome.completions == (outcome.isCancelled ? 0 : 1) && outcome.strays == 0
        && outcome.values <= 1, "ended \(outcome.completions) times: \(outcome)")

    let requests = Dictionary(grouping: exchanges, by: \.name)
    for (name, sent) in requests.sorted(by: { $0.key < $1.key }) {
      faults += self.faults(ofRequest: name, in: call, sent, &keys).map { "\(name) \($0)" }
    }

    let sends = exchanges.filter { !$0.isHop }
    // An attempt that ends with throttling is free, with all its requests and their repetitions.
    let throttled = exchanges.count { $0.status == 429 && $0.retryAfter != nil }
    let limit =
      sendLimit(of: call.kind) + throttled * 2 * (call.kind.pipeline?.requests.count ?? 1)
    expect(sends.count <= limit, "was sent \(sends.count) times")
    if call.kind.pipeline?.keepsTotalTime ?? (call.kind.retrying != .never), let last = sends.last {
      // A call that waits for a refresh waits no longer than its attempt.
      expect(
        last.sent <= call.begin + Self.policy.total, "was sent after \(last.sent - call.begin)")
    }
    // Beside each other, one does not wait for another.
    guard call.kind.pipeline == nil else { return faults }
    for (answered, next) in zip(exchanges, exchanges.dropFirst()) where !next.isHop {
      guard let wait = answered.retryAfter, let delivered = answered.delivered else { continue }
      expect(
        next.sent >= delivered + .seconds(wait), "does not wait for \(wait) s")
      expect(.seconds(wait) <= Self.policy.longestRetryAfter, "waits for \(wait) s")
    }
    return faults
  }

  /// How often a call may go out, redirects not counted.
  private func sendLimit(of kind: WorldCall.Kind) -> Int {
    // One for a refresh, and one for each credential that the app brought.
    let further = 1 + plan.events.count { if case .replace = $0.action { true } else { false } }
    guard let pipeline = kind.pipeline else {
      return further + (kind.retrying == .never ? 1 : Self.policy.attempts)
    }
    // Each may be repeated once more with what a refresh beside it brought, and all that twice by
    // what resends it, and twice by what resends the whole.
    return Self.pipelineAttempts + pipeline.requests.count * 4 * (2 + further)
  }

  private var logFaults: [String] {
    let (stories, exchanges) = network.state.withLock { ($0.stories, $0.exchanges) }
    let calls = calls
    var (faults, told, retries, successes): ([String], Set<Int>, Int, Int) = ([], [], 0, 0)
    for log in sessions.flatMap(\.logs) {
      let events = log.events.map(\.kind)
      guard let number = Self.call(of: events) else { continue }
      if !told.insert(number).inserted { faults.append("call \(number) has two logs") }
      var story: [String] = []
      var (attempt, refusals) = (0, 0)
      for event in events {
        switch event {
        case .sent(let sent, let cause):
          story.append(cause == .redirect ? ">>" : ">")
          attempt += cause == .redirect ? 0 : 1
          if sent != attempt { faults.append("call \(number) counts \(sent) as \(attempt)") }
        case .received(let status, _):
          story.append("\(status)")
          successes += status < 500 && status != 429 ? 1 : 0
        case .waiting(_, because: _, budget: .some): retries += 1
        case .notRetried(let reason):
          refusals += reason.hasPrefix("POST may have been processed") ? 1 : 0
        default: break
        }
      }
      let seen = stories[number] ?? []
      let call = calls[number]
      let own = refusals == 0 ? [] : exchanges.filter { $0.call == number }
      faults += self.faults(ofRefusedRetries: refusals, in: call, own).map {
        "call \(number): \($0)"
      }
      if !Self.agrees(story, with: seen, isInOrder: call.kind.pipeline == nil) {
        faults.append("call \(number): the log says \(story), the network \(seen)")
      }
      guard case .ended? = events.last,
        events.count(where: { if case .ended = $0 { true } else { false } }) == 1
      else {
        faults.append("call \(number): the log does not end once: \(log)")
        continue
      }
    }
    for number in stories.keys.sorted() where !told.contains(number) {
      faults.append("call \(number) was sent, and has no log")
    }
    if retries > Self.budget.burst + successes / Self.budget.successesPerRetry {
      faults.append("\(retries) retries, with \(successes) successes")
    }
    return faults
  }

  /// The number of the call that a log is of; nil where it is of a refresh.
  private static func call(of events: [CallEvent.Kind]) -> Int? {
    for case .built(let request) in events {
      return request.location.split(separator: "/").last.flatMap { Int($0) }
    }
    return nil
  }

  private var storeFaults: [String] {
    guard !plan.storeFails else { return [] }
    var faults: [String] = []
    let content = store.content
    if store.isTaken { faults.append("a turn was not given back") }
    switch store.owner {
    case .unknown: break
    case .nobody:
      if content != nil { faults.append("signed out, and \(content?.accessToken ?? "")") }
    case .user(let user):
      if let content {
        if content.account != "user \(user)" {
          faults.append("user \(user) signed in last, and \(content.account ?? "-") is stored")
        }
      } else if let token = network.state.withLock({ state in
        state.server.tokens.filter { $0.user == user }.max { $0.family < $1.family }.map {
          (family: $0.family, server: state.server)
        }
      }), !token.server.isRevoked(family: token.family) {
        faults.append("user \(user) signed in last, and nobody is stored")
      }
    }
    return faults
  }
}
