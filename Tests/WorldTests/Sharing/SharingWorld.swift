import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An app with a cache, shared exchanges, a limiter and sessions, over several roads.
///
/// Time is virtual, and all is drawn from one seed, except what a killed process has written. The
/// checks hold for each amount of it.
final class SharingWorld: Sendable {
  /// What an app loses when it is killed, except for the folder.
  struct Process: Sendable {
    let cache: HTTPCache
    let coalescer: RequestCoalescer?
    let limiter: RateLimiter?
    let sessions: [TokenSession]
  }

  struct State: Sendable {
    var process: Process?
    var folders: [TemporaryFolder] = []
    var users: [Int?] = Array(repeating: nil, count: SharingPlan.sessions)
    /// Counts the users of each session.
    var epochs = Array(repeating: 0, count: SharingPlan.sessions)
    var calls: [SharingCall] = []
    /// The edition of each road's path that the app itself has made.
    var editions: [[Int]]
    /// What may be used was confirmed after this.
    var removal = Duration.seconds(-1)
    /// The responses that only one call may get.
    var unique: Set<String> = []
    /// The calls that must be hits, until a time.
    var fresh: [SharingCall.Place: Duration] = [:]
  }

  let plan: SharingPlan
  let scheduler = TestScheduler()
  let network: SharingNetwork
  let state: Lock<State>
  private let roads: [SharingRoad]

  init(_ plan: SharingPlan) {
    self.plan = plan
    let network = SharingNetwork(plan, scheduler: scheduler)
    self.network = network
    roads = (0..<SharingPlan.roads).map { SharingRoad($0, of: network) }
    state = Lock(
      State(
        editions: Array(
          repeating: Array(repeating: 0, count: plan.policies.count), count: SharingPlan.roads)))
  }

  /// The first promise that is broken; nil if none is.
  static func fault(of plan: SharingPlan) throws -> String? {
    let world = SharingWorld(plan)
    try world.run()
    defer { world.close() }
    return world.network.complaints.first
  }

  private func run() throws {
    try begin(in: plan.hasFolder ? TemporaryFolder() : nil)
    for event in plan.events {
      scheduler.advance(by: event.time - scheduler.now)
      try perform(event.action)
    }
    scheduler.advance(by: .seconds(60))
    for call in state.withLock({ $0.calls }) { call.open() }
    scheduler.advance(by: .seconds(120))
    for call in state.withLock({ $0.calls }) { checkEnd(of: call) }
  }

  private func close() {
    let calls = state.withLock { state in
      defer { state.process = nil }
      return state.calls
    }
    for call in calls { call.cancel() }
  }

  // MARK: A process

  private func begin(in folder: TemporaryFolder?) throws {
    let date: @Sendable () -> Date = { [scheduler] in WallClock.start + scheduler.now / .seconds(1)
    }
    let cache =
      try folder.map {
        try HTTPCache(
          folder: $0.url.appendingPathComponent("cache"),
          servesStaleWhenUnreachable: plan.servesStale,
          // The folder goes while a killed process still writes.
          onFailure: { _ in }, date: date)
      } ?? HTTPCache(servesStaleWhenUnreachable: plan.servesStale, date: date)
    let grant = ClosureGrant { [network, scheduler] credential in
      let token = network.onServer { server in
        server.issue(user: credential.flatMap { server.user(of: $0.accessToken) } ?? 0)
      }
      return Just(TokenResponse(accessToken: token)).setFailureType(to: (any Error).self)
        .delay(for: .seconds(1), scheduler: scheduler)
    }
    let process = Process(
      cache: cache, coalescer: plan.hasCoalescer ? RequestCoalescer() : nil,
      limiter: plan.hasLimiter
        ? RateLimiter(
          SharingNetwork.limit.requests, per: .seconds(1),
          maxWaiting: SharingNetwork.limit.waiting, scheduler: scheduler) : nil,
      sessions: (0..<SharingPlan.sessions).map { _ in
        TokenSession(grant: grant, scheduler: scheduler, date: date)
      })
    let released = state.withLock { state in
      defer {
        state.process = process
        if let folder { state.folders.append(folder) }
        for session in state.users.indices { state.turn(session, to: nil) }
        state.fresh = [:]
      }
      return state.process
    }
    network.beginProcess()
    withExtendedLifetime(released) {}
  }

  /// Kills the process: the next one gets the folder as it is now.
  ///
  /// Whatever the old one still writes goes to the old folder.
  private func kill() throws {
    let (calls, old) = state.withLock { ($0.calls, $0.folders.last) }
    guard let old else { return }
    for call in calls { call.cancel() }
    let copy = try TemporaryFolder()
    // A file that the old process moves meanwhile is not there, as if it had been killed before.
    let names = try FileManager.default.subpathsOfDirectory(atPath: old.url.path)
    for name in names.sorted() {
      let (from, to) = (
        old.url.appendingPathComponent(name), copy.url.appendingPathComponent(name)
      )
      if from.hasDirectoryPath {
        try FileManager.default.createDirectory(
          at: to, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } else {
        try? FileManager.default.copyItem(at: from, to: to)
      }
    }
    // What the old process had not written yet is lost, and so is what it had not removed yet,
    // unless it was told that all is removed.
    state.withLock { state in
      for road in state.editions.indices {
        state.editions[road] = state.editions[road].map { _ in 0 }
      }
    }
    try begin(in: copy)
  }

  // MARK: Events

  private func perform(_ action: SharingPlan.Action) throws {
    guard let process = state.withLock({ $0.process }) else { return }
    switch action {
    case .get(let ask): get(ask, in: process)
    case .change(let path, let road): change(path, over: road, in: process)
    case .cancel(let number):
      let call = state.withLock { $0.calls.indices.contains(number) ? $0.calls[number] : nil }
      call?.cancel()
    case .open: for call in state.withLock({ $0.calls }) { call.open() }
    case .signIn(let session, let user):
      state.withLock { $0.turn(session, to: user) }
      network.turn()
      let token = network.onServer { $0.issue(user: user) }
      try process.sessions[session].signIn(Credential(accessToken: token))
    case .signOut(let session):
      state.withLock { $0.turn(session, to: nil) }
      network.turn()
      try process.sessions[session].signOut()
    case .rotate(let session):
      guard let user = state.withLock({ $0.users[session] }) else { return }
      let token = network.onServer { $0.issue(user: user) }
      try process.sessions[session].replaceCredential(with: Credential(accessToken: token))
    case .expireTokens: network.onServer { $0.expireTokens() }
    case .removeAll:
      let isDone = DispatchSemaphore(value: 0)
      let waiting = process.cache.removeAll().sink(
        receiveCompletion: { _ in isDone.signal() }, receiveValue: { _ in })
      isDone.wait()
      waiting.cancel()
      network.turn()
      state.withLock { state in
        state.removal = scheduler.now
        state.fresh = [:]
      }
    case .fail(let road, let seconds, let isUnreachable):
      let end = scheduler.now + .seconds(seconds)
      network.onServer { server in
        server.failures[road] = SharingServer.Failure(end: end, isUnreachable: isUnreachable)
      }
    case .kill: try kill()
    }
  }

  private func api(over road: Int, for caller: SharingPlan.Caller, in process: Process) -> TestAPI {
    let session: TokenSession? =
      if case .session(let number) = caller { process.sessions[number] } else { nil }
    return TestAPI(
      baseURL: TestAPI.origin, transport: roads[road], session: session,
      rateLimiter: process.limiter, cache: process.cache, coalescer: process.coalescer)
  }

  private func get(_ ask: SharingPlan.Ask, in process: Process) {
    let call = state.withLock { state in
      let call = SharingCall(
        number: state.calls.count, ask: ask, begin: scheduler.now, of: plan, in: state)
      state.calls.append(call)
      return call
    }
    var headers: HTTPHeaders = ["Accept-Language": ask.language]
    switch ask.use {
    case .noCache: headers.append(name: "Cache-Control", value: "no-cache")
    case .maxAge(let seconds):
      headers.append(name: "Cache-Control", value: "max-age=\(seconds)")
    case .standard, .revalidated: break
    }
    if case .field(let index) = ask.caller {
      let field = SharingPlan.fields[index]
      headers.append(name: field.name, value: field.value)
    }
    var response = api(over: ask.road, for: ask.caller, in: process)
      .get(endpoint: "\(ask.path)", headers: headers)
    if ask.use == .revalidated {
      response = response.cached(in: process.cache, use: .revalidated)
    }
    if let deadline = ask.deadline {
      response = response.call(deadline: .after(.seconds(deadline), scheduler: scheduler))
    }
    call.run(response) { [weak self] in self?.check($0, of: call) }
  }

  private func change(_ path: Int, over road: Int, in process: Process) {
    let sink = api(over: road, for: .nobody, in: process)
      .post(endpoint: "\(path)", body: .data(Data("changed".utf8)))
      .sink(receiveCompletion: { _ in }) { [weak self] response in
        guard let self, response.isSuccess, let edition = Int(response.text) else { return }
        network.turn()
        state.withLock { state in
          state.editions[road][path] = max(state.editions[road][path], edition)
          state.fresh = state.fresh.filter { $0.key.path != path }
        }
      }
    network.retain(sink)
  }
}

extension SharingWorld.State {
  /// Another user is signed in now, or no user.
  fileprivate mutating func turn(_ session: Int, to user: Int?) {
    users[session] = user
    epochs[session] += 1
  }
}
