import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport of one process: the same URLs lead to another server on each road.
final class SharingRoad: Transport {
  private let number: Int
  private let process: Int
  /// All processes find it again.
  let identity: TransportIdentity
  private let network: SharingNetwork

  init(_ number: Int, of network: SharingNetwork, from process: Int) {
    self.number = number
    self.process = process
    identity = TransportIdentity(lasting: "road \(number)")
    self.network = network
  }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Single { [network, number, process] resolve in
      network.send(request, over: number, from: process) { resolve($0) }
    }
    .eraseToAnyPublisher()
  }
}

/// The exchanges of all roads, in virtual time, and what must not happen among them.
final class SharingNetwork: Sendable {
  typealias Resolve = @Sendable (Result<RESTResponse, any Error>) -> Void

  /// What makes two requests the same.
  struct Sameness: Hashable, Sendable {
    let process: Int
    let road: Int
    let method: String
    let url: String
    let fields: [String]
    /// The token of a session that the request has.
    let token: String?

    init(_ request: URLRequest, over road: Int, from process: Int) {
      self.process = process
      self.road = road
      method = request.httpMethod ?? "GET"
      url = request.url?.absoluteString ?? ""
      token = SharingServer.token(of: request)
      let conditions = ["If-None-Match", "If-Modified-Since"]
      fields = (request.allHTTPHeaderFields ?? [:])
        .filter { !conditions.contains($0.key) }
        .map { "\($0.key): \(Array($0.value.utf8))" }.sorted()
    }
  }

  private struct State: Sendable {
    var server: SharingServer
    var count = 0
    /// The beginnings of each process's exchanges.
    var starts: [[Duration]]
    /// The time at which each exchange had its outcome.
    var ends: [Int: Duration] = [:]
    /// The running exchanges, each with the changes before it.
    var running: [Int: (sameness: Sameness, path: Int, age: Int)] = [:]
    /// Counts what makes a later call of a process begin an exchange of its own.
    var ages: [Int]
    var complaints: [String] = []
    var changes: [[AnyCancellable]]
  }

  static let limit = (requests: 5, waiting: 6)

  private let plan: SharingPlan
  private let scheduler: TestScheduler
  private let state: Lock<State>

  init(_ plan: SharingPlan, scheduler: TestScheduler) {
    self.plan = plan
    self.scheduler = scheduler
    state = Lock(
      State(
        server: SharingServer(plan), starts: Array(repeating: [], count: plan.processes),
        ages: Array(repeating: 0, count: plan.processes),
        changes: Array(repeating: [], count: plan.processes)))
  }

  var complaints: [String] { state.withLock { $0.complaints } }
  var count: Int { state.withLock { $0.count } }

  func complain(_ text: String) {
    state.withLock { $0.complaints.append("\(scheduler.now): \(text)") }
  }

  /// Keeps a change going as long as its process lives.
  func retain(_ change: AnyCancellable, in process: Int) {
    state.withLock { $0.changes[process].append(change) }
  }

  /// The time at which an exchange had its outcome.
  func end(of exchange: Int) -> Duration? { state.withLock { $0.ends[exchange] } }

  func onServer<Value>(_ body: (inout SharingServer) -> Value) -> Value {
    state.withLock { body(&$0.server) }
  }

  /// From now on, calls of a process do not join the running exchanges.
  func turn(in process: Int) { state.withLock { $0.ages[process] += 1 } }

  /// The requests of another process count by themselves, and the old one's changes end.
  func begin(_ process: Int) {
    let released = state.withLock { state in
      state.ages[process] += 1
      state.starts[process] = []
      defer { state.changes[process] = [] }
      return state.changes[process]
    }
    withExtendedLifetime(released) {}
  }

  func send(
    _ request: URLRequest, over road: Int, from process: Int, _ resolve: @escaping Resolve
  ) -> AnyCancellable {
    let number = begin(Sameness(request, over: road, from: process))
    var draw = Draw(plan.seed, "exchange \(number)")
    let steps = draw.pick([0, 0, 1, 2, 4, 8])
    // The response is that of an earlier moment, as on a real network.
    let first = Duration.milliseconds(500) * draw.number(0...steps)
    let outcome = Lock<Result<RESTResponse, any Error>?>(nil)
    let isChange = request.httpMethod != "GET"
    let end: @Sendable () -> Void = { [self] in
      let isRunning = state.withLock { state in
        state.ends[number] = scheduler.now
        // Other calls may begin while the cache is at work on the change.
        if isChange { state.ages[process] += 1 }
        return state.running.removeValue(forKey: number) != nil
      }
      if isRunning, let outcome = outcome.withLock({ $0 }) { resolve(outcome) }
    }
    let timers = Lock<[any Cancellable]>([])
    after(first, timers) { [self] in
      let result = result(of: request, by: number, over: road)
      outcome.withLock { $0 = result }
      after(.milliseconds(500) * steps - first, timers, end)
    }
    return AnyCancellable { [self] in
      for timer in timers.withLock({ $0 }) { timer.cancel() }
      state.withLock { _ = $0.running.removeValue(forKey: number) }
    }
  }

  private func after(
    _ delay: Duration, _ timers: borrowing Lock<[any Cancellable]>,
    _ action: @escaping @Sendable () -> Void
  ) {
    guard delay > .zero else { return action() }
    let timer = scheduler.schedule(after: delay, action)
    timers.withLock { $0.append(timer) }
  }

  private func result(
    of request: URLRequest, by number: Int, over road: Int
  ) -> Result<RESTResponse, any Error> {
    Result {
      let now = scheduler.now
      let response = try state.withLock {
        try $0.server.response(to: request, by: number, over: road, at: now)
      }
      guard let response else {
        let fault = TransportError(kind: .connectFailed, mayHaveBeenProcessed: false)
        throw RESTError(fault, request: RequestSummary(request))
      }
      return response
    }
  }

  private func begin(_ sameness: Sameness) -> Int {
    let now = scheduler.now
    return state.withLock { state in
      state.count += 1
      state.starts[sameness.process].append(now)
      if plan.hasLimiter {
        let recent = state.starts[sameness.process].suffix(while: { now - $0 < .seconds(1) })
        if recent.count > 2 * Self.limit.requests {
          state.complaints.append("\(now): \(recent.count) exchanges within a second")
        }
      }
      let path = Int(sameness.url.split(separator: "/").last ?? "") ?? 0
      let age = state.ages[sameness.process]
      let isShareable = ![.noStore, .noCache].contains(plan.policies[path])
      let same = state.running.values.count { $0.sameness == sameness && $0.age == age }
      // A call that waits for the next token does not know yet that its request will be the one
      // that a refused call sends again. That one must not join an exchange that may have left with
      // an older token, since it is not sent a third time.
      let most = sameness.token.map(state.server.followsRefusal) == true ? 1 : 0
      if plan.hasCoalescer, !plan.hasDeadlines, isShareable, sameness.method == "GET", same > most {
        state.complaints.append("\(now): \(same + 1) exchanges for \(sameness)")
      }
      state.running[state.count] = (sameness, path, age)
      return state.count
    }
  }
}

extension Array {
  /// The last elements that satisfy a condition.
  fileprivate func suffix(while condition: (Element) -> Bool) -> ArraySlice<Element> {
    self[(lastIndex { !condition($0) }.map { $0 + 1 } ?? startIndex)...]
  }
}
