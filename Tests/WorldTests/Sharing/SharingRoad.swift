import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport of the world: the same URLs lead to another server on each road.
final class SharingRoad: Transport {
  let number: Int
  /// The next process finds it again.
  let identity: TransportIdentity
  private let network: SharingNetwork

  init(_ number: Int, of network: SharingNetwork) {
    self.number = number
    identity = TransportIdentity(lasting: "road \(number)")
    self.network = network
  }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Single { [network, number] resolve in network.send(request, over: number) { resolve($0) } }
      .eraseToAnyPublisher()
  }
}

/// The exchanges of all roads, in virtual time, and what must not happen among them.
final class SharingNetwork: Sendable {
  typealias Resolve = @Sendable (Result<RESTResponse, any Error>) -> Void

  /// What makes two requests the same.
  struct Sameness: Hashable, Sendable {
    let road: Int
    let method: String
    let url: String
    let fields: [String]
    /// Whether the request has the token of a session.
    let hasToken: Bool

    init(_ request: URLRequest, over road: Int) {
      self.road = road
      method = request.httpMethod ?? "GET"
      url = request.url?.absoluteString ?? ""
      hasToken =
        request.value(forHTTPHeaderField: "Authorization")?.hasPrefix("Bearer token-") == true
      let conditions = ["If-None-Match", "If-Modified-Since"]
      fields = (request.allHTTPHeaderFields ?? [:])
        .filter { !conditions.contains($0.key) }
        .map { "\($0.key): \(Array($0.value.utf8))" }.sorted()
    }
  }

  private struct State: Sendable {
    var server: SharingServer
    var count = 0
    /// Whether a token was refused.
    ///
    /// Calls of its session that wait for the next one may each send their request, since the one
    /// that was refused sends its own again.
    var hasRefused = false
    var starts: [Duration] = []
    /// The running exchanges, each with the changes before it.
    var running: [Int: (sameness: Sameness, path: Int, age: Int)] = [:]
    /// Counts what makes a later call begin an exchange of its own.
    var age = 0
    var complaints: [String] = []
    var changes: [AnyCancellable] = []
  }

  static let limit = (requests: 5, waiting: 6)

  private let plan: SharingPlan
  private let scheduler: TestScheduler
  private let state: Lock<State>

  init(_ plan: SharingPlan, scheduler: TestScheduler) {
    self.plan = plan
    self.scheduler = scheduler
    state = Lock(State(server: SharingServer(plan)))
  }

  var complaints: [String] { state.withLock { $0.complaints } }
  var count: Int { state.withLock { $0.count } }

  func complain(_ text: String) {
    state.withLock { $0.complaints.append("\(scheduler.now): \(text)") }
  }

  /// Keeps a change going as long as its process lives.
  func retain(_ change: AnyCancellable) { state.withLock { $0.changes.append(change) } }

  func onServer<Value>(_ body: (inout SharingServer) -> Value) -> Value {
    state.withLock { body(&$0.server) }
  }

  /// From now on, calls do not join the running exchanges.
  func turn() { state.withLock { $0.age += 1 } }

  /// The requests of another process count by themselves, and the old one's changes end.
  func beginProcess() {
    let released = state.withLock { state in
      state.age += 1
      state.starts = []
      defer { state.changes = [] }
      return state.changes
    }
    withExtendedLifetime(released) {}
  }

  func send(_ request: URLRequest, over road: Int, _ resolve: @escaping Resolve) -> AnyCancellable {
    let number = begin(Sameness(request, over: road))
    var draw = Draw(plan.seed, "exchange \(number)")
    let delay = Duration.milliseconds(500) * draw.pick([0, 0, 1, 2, 4, 8])
    let end: @Sendable () -> Void = { [self] in
      guard state.withLock({ $0.running.removeValue(forKey: number) }) != nil else { return }
      resolve(
        Result {
          let now = scheduler.now
          let response = try state.withLock { state in
            let response = try state.server.response(to: request, over: road, at: now)
            if response?.statusCode == 401 { state.hasRefused = true }
            return response
          }
          guard let response else {
            let fault = TransportError(kind: .connectFailed, mayHaveBeenProcessed: false)
            throw RESTError(fault, request: RequestSummary(request))
          }
          return response
        })
    }
    guard delay > .zero else {
      end()
      return AnyCancellable {}
    }
    let timer = scheduler.schedule(after: delay, end)
    return AnyCancellable { [self] in
      timer.cancel()
      state.withLock { _ = $0.running.removeValue(forKey: number) }
    }
  }

  private func begin(_ sameness: Sameness) -> Int {
    let now = scheduler.now
    return state.withLock { state in
      state.count += 1
      state.starts.append(now)
      if plan.hasLimiter {
        let recent = state.starts.suffix(while: { now - $0 < .seconds(1) })
        if recent.count > 2 * Self.limit.requests {
          state.complaints.append("\(now): \(recent.count) exchanges within a second")
        }
      }
      let path = Int(sameness.url.split(separator: "/").last ?? "") ?? 0
      let isShareable = ![.noStore, .noCache].contains(plan.policies[path])
      if plan.hasCoalescer, !plan.hasDeadlines, isShareable, sameness.method == "GET",
        !sameness.hasToken || !state.hasRefused,
        state.running.values.contains(where: { $0.sameness == sameness && $0.age == state.age })
      {
        state.complaints.append("\(now): a second exchange for \(sameness)")
      }
      state.running[state.count] = (sameness, path, state.age)
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
