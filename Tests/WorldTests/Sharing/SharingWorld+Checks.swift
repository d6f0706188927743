import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

extension SharingWorld {
  /// Checks a response when it is delivered.
  func check(_ response: RESTResponse, of call: SharingCall) {
    func complain(_ text: String) {
      network.complain(
        "call \(call.number) \(text): \(response.statusCode) \(response.text),"
          + " \(response.cacheStatus.map { "\($0)" } ?? "no cache")")
    }
    // It may be cancelled while its response waits.
    guard !call.wasCancelled else { return }
    noteFreshness(of: response, for: call)
    guard response.statusCode == 200 else {
      if ![401, 503].contains(response.statusCode) { complain("gets an unknown status") }
      return
    }
    guard let label = response.text.split(separator: "#").first.flatMap({ SharingLabel($0) }) else {
      return complain("gets an unknown body")
    }
    if label.user != call.user { complain("of \(call.user ?? "nobody") gets another user's") }
    if label.road != call.ask.road { complain("over road \(call.ask.road) gets another road's") }
    if label.path != call.ask.path || label.language != call.place.language {
      complain("gets what it did not ask for")
    }
    let knowledge = response.isStored ? call.known : call.own
    if label.edition < knowledge.editions[call.ask.road][call.ask.path] {
      complain("gets what was changed before it began")
    }
    if plan.policies[call.ask.path] == .noStore,
      !state.withLock({ $0.unique.insert(response.text).inserted })
    {
      complain("gets what may not be reused, as another call did")
    }
    // A response that waits for a blocked caller becomes older.
    guard !call.ask.isBlocked else { return }
    switch response.cacheStatus {
    case .hit(let ttl, _): if let fault = fault(ofHit: label, ttl, for: call) { complain(fault) }
    case .forwarded where response.isStored:
      if let fault = fault(ofStandIn: label, for: call) { complain(fault) }
    default:
      if call.isHit { complain("asks the server for what is fresh") }
      if let time = lateness(of: response), time > most { complain("waits \(time) for others") }
    }
  }

  /// The longest wait of a response for callers that block: behind each of them another thread goes
  /// on after two looks.
  private var most: Duration { .milliseconds(100) * (1 + state.withLock { $0.blocked }) }

  /// The time between the end of an exchange and the delivery of its response.
  ///
  /// - Returns: nil where a call waits for the folder as well.
  private func lateness(of response: RESTResponse) -> Duration? {
    guard !plan.hasFolder else { return nil }
    return exchangeEnd(of: response).map { scheduler.now - $0 }
  }

  private func exchangeEnd(of response: RESTResponse) -> Duration? {
    response.headers[SharingServer.exchangeField].flatMap { Int($0) }.flatMap(network.end)
  }

  /// The time since the server sent a response or confirmed it, at least.
  private func age(of label: SharingLabel) -> Duration {
    network.onServer { [scheduler] server in
      server.confirmations[label].map { scheduler.now - $0 } ?? .seconds(1 << 30)
    }
  }

  private func fault(ofHit label: SharingLabel, _ ttl: Int, for call: SharingCall) -> String? {
    let age = age(of: label)
    if scheduler.now - age < call.known.removal { return "gets what was removed" }
    let policy = plan.policies[call.ask.path]
    if policy == .noStore || policy == .noCache { return "gets what may not be reused" }
    switch call.ask.use {
    case .revalidated, .noCache: return "gets a hit, though the server is to be asked"
    case .maxAge(let seconds) where age > .seconds(seconds) + slack:
      return "gets an older one than it takes"
    default: break
    }
    if policy == .heuristic { return nil }
    let lifetime = Duration.seconds(SharingPlan.lifetime) + slack
    if age <= lifetime { return nil }
    guard policy == .staleWhileRevalidate else { return "gets a stale hit" }
    return age <= lifetime + .seconds(SharingPlan.staleTime) ? nil : "gets too stale a hit"
  }

  private func fault(ofStandIn label: SharingLabel, for call: SharingCall) -> String? {
    let age = age(of: label)
    if scheduler.now - age < call.known.removal { return "gets what was removed" }
    let policy = plan.policies[call.ask.path]
    switch call.ask.use {
    case .standard: break
    // `stale-if-error` applies regardless of other limits (RFC 5861 §4).
    case .maxAge where policy == .staleIfError: break
    case .maxAge, .revalidated, .noCache: return "gets a stale response against its wish"
    }
    switch policy {
    case .noStore, .noCache, .mustRevalidate: return "gets what may not be used stale"
    case .staleIfError
    where age <= .seconds(SharingPlan.lifetime + SharingPlan.staleTime) + slack:
      return nil
    default: return plan.servesStale ? nil : "gets a stale response that nobody allows"
    }
  }

  /// The age that a response gets on its way behind callers that block.
  private var slack: Duration { plan.hasBlocks ? .seconds(1) : .zero }

  /// Remembers which later calls must be hits.
  private func noteFreshness(of response: RESTResponse, for call: SharingCall) {
    guard let status = response.cacheStatus, !status.isHit else { return }
    // Another process may have changed what was shared before the call began.
    if plan.processes > 1, case .forwarded(_, _, _, isCollapsed: true, _, _) = status { return }
    state.withLock { state in
      guard !call.ask.isBlocked,
        case .forwarded(_, _, isStored: true, _, let ttl?, nil) = status, ttl > 1,
        let end = exchangeEnd(of: response), call.changes == state.changes,
        state.isCurrent(call), !state.changing.joined().contains(call.ask.path)
      else {
        state.finds[call.place] = nil
        return
      }
      state.finds[call.place] = Find(
        end: end + .seconds(ttl - 1), process: call.ask.process,
        isWritten: call.place.isOfFolder
          && state.processes[call.ask.process]?.line.isIdle == true)
    }
  }

  func checkEnd(of call: SharingCall) {
    func complain(_ text: String) { network.complain("call \(call.number) \(text)") }
    guard !call.wasCancelled else { return }
    guard call.hasEnded else { return complain("does not end") }
    guard let failure = call.failure else {
      if call.values != 1 { complain("ends with \(call.values) responses") }
      return
    }
    // The text of each failure that a deadline causes names it.
    if call.ask.deadline == nil, "\(failure)".contains("call(deadline:)") {
      complain("fails by another one's deadline: \(failure)")
    }
    if call.isHit, call.ask.deadline == nil { complain("fails instead of a hit: \(failure)") }
  }
}

extension SharingWorld.State {
  /// Whether the user of a call is still there.
  fileprivate func isCurrent(_ call: SharingCall) -> Bool {
    guard case .session(let session) = call.ask.caller else { return true }
    return epochs[session] == call.place.epoch
  }
}

extension RESTResponse {
  /// Whether it was stored before, and no server has confirmed it.
  fileprivate var isStored: Bool {
    switch cacheStatus {
    case .hit: true
    case .forwarded(_, _, _, _, _, let detail): detail?.hasPrefix("stale:") == true
    default: false
    }
  }
}
