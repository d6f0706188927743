import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One or two processes of an app with a cache, shared exchanges, a limiter and sessions, over
/// several roads.
///
/// All runs on one thread in virtual time, and all is drawn from one seed. While a subscriber
/// blocks its thread, or a process is at work in its folder, the world goes on inside of that.
final class SharingWorld: Sendable {
  /// What a process loses when it is killed.
  struct Process: Sendable {
    let cache: HTTPCache
    let coalescer: RequestCoalescer?
    let limiter: RateLimiter?
    let sessions: [TokenSession]
    let line: SharingLine
    let roads: [SharingRoad]
  }

  let plan: SharingPlan
  let scheduler = TestScheduler()
  let network: SharingNetwork
  let state: Lock<State>
  private let folder: TemporaryFolder?
  private let lines = SharingLines()
  private let ticks = Counter()

  init(_ plan: SharingPlan) throws {
    self.plan = plan
    network = SharingNetwork(plan, scheduler: scheduler)
    folder = plan.hasFolder ? try TemporaryFolder() : nil
    let nothing = Knowledge(
      editions: Array(
        repeating: Array(repeating: 0, count: plan.policies.count), count: SharingPlan.roads))
    let sessions = plan.processes * SharingPlan.sessions
    state = Lock(
      State(
        users: Array(repeating: nil, count: sessions),
        epochs: Array(repeating: 0, count: sessions),
        own: Array(repeating: nothing, count: plan.processes), written: nothing,
        changing: Array(repeating: [], count: plan.processes),
        changed: Array(repeating: [], count: plan.processes)))
  }

  /// The first promise that is broken; nil if none is.
  static func fault(of plan: SharingPlan) throws -> String? {
    let world = try SharingWorld(plan)
    try world.run()
    defer { world.close() }
    return world.network.complaints.first
  }

  private func run() throws {
    for process in 0..<plan.processes { try begin(process) }
    while performNext() {}
    scheduler.advance(by: .seconds(60))
    for call in state.withLock({ $0.calls }) { call.open() }
    scheduler.advance(by: .seconds(120))
    for call in state.withLock({ $0.calls }) { checkEnd(of: call) }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Performs the next event, unless it comes later.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  private func performNext(by end: Duration = .seconds(1 << 30)) -> Bool {
    let event = state.withLock { state -> SharingPlan.Event? in
      guard state.next < plan.events.count, plan.events[state.next].time <= end else { return nil }
      state.next += 1
      return plan.events[state.next - 1]
    }
    guard let event else { return false }
    scheduler.advance(by: max(event.time - scheduler.now, .zero))
    do {
      try perform(event.action)
    } catch {
      state.withLock { $0.failure = error }
    }
    return true
  }

  /// Blocks the thread of a subscriber for a time.
  private func block(for time: Duration) {
    let end = scheduler.now + time
    state.withLock { $0.blocked += 1 }
    while performNext(by: end) {}
    scheduler.advance(by: max(end - scheduler.now, .zero))
    state.withLock { $0.blocked -= 1 }
  }

  private func close() {
    let (calls, processes) = state.withLock { state in
      defer { state.processes = [:] }
      return (state.calls, state.processes)
    }
    for call in calls { call.cancel() }
    for process in processes.values { process.line.set(SharingLine.Hooks()) }
  }

  // MARK: A process

  private func begin(_ number: Int) throws {
    // No two moments are the same, as on a real clock.
    let date: @Sendable () -> Date = { [scheduler, ticks] in
      ticks.add()
      return WallClock.start + scheduler.now / .seconds(1) + Double(ticks.value) / 1e5
    }
    let threads: @Sendable () -> DeliveryThreads = { [scheduler] in
      DeliveryThreads(most: 15) { thread in
        scheduler.schedule(thread)
      } later: { delay, check in
        guard case .milliseconds(let time) = delay else { return check() }
        _ = scheduler.schedule(after: .milliseconds(time), check)
      }
    }
    let start = state.withLock { state in
      state.starts += 1
      return state.starts
    }
    let line = SharingLine("\(number) \(start)", of: plan, in: lines, scheduler: scheduler)
    line.set(hooks(of: number, line))
    let cache = try HTTPCache(
      folder: folder?.url.appendingPathComponent("cache"), line: line.ofCache, threads: threads(),
      servesStaleWhenUnreachable: plan.servesStale, date: date)
    let grant = ClosureGrant { [network, scheduler] credential in
      let token = network.onServer { server in
        server.issue(user: credential.flatMap { server.user(of: $0.accessToken) } ?? 0)
      }
      return Just(TokenResponse(accessToken: token)).setFailureType(to: (any Error).self)
        .delay(for: .seconds(1), scheduler: scheduler)
    }
    let process = Process(
      cache: cache, coalescer: plan.hasCoalescer ? RequestCoalescer(threads: threads()) : nil,
      limiter: plan.hasLimiter
        ? RateLimiter(
          SharingNetwork.limit.requests, per: .seconds(1),
          maxWaiting: SharingNetwork.limit.waiting, scheduler: scheduler) : nil,
      sessions: (0..<SharingPlan.sessions).map { _ in
        TokenSession(grant: grant, scheduler: scheduler, date: date)
      }, line: line,
      roads: (0..<SharingPlan.roads).map { SharingRoad($0, of: network, from: number) })
    let released = state.withLock { $0.processes.updateValue(process, forKey: number) }
    network.begin(number)
    withExtendedLifetime(released) {}
  }

  private func hooks(of number: Int, _ line: SharingLine) -> SharingLine.Hooks {
    SharingLine.Hooks {
      [weak self] in
      self?.state.withLock { $0.noteWritten(by: number) }
    } interleave: { [weak self] in
      self?.performNext()
    } onKill: { [weak self] in
      self?.replace(number)
    }
  }

  /// Begins a process anew that was killed: what it had not written is lost, and so is what it had
  /// not removed.
  private func replace(_ number: Int) {
    let calls = state.withLock { state in
      for session in 0..<SharingPlan.sessions {
        state.turn(number * SharingPlan.sessions + session, to: nil)
      }
      state.own[number] = Knowledge(editions: state.own[number].editions.map { $0.map { _ in 0 } })
      state.changing[number] = []
      state.changed[number] = []
      state.finds = state.finds.filter { $0.value.process != number || $0.value.isWritten }
      return state.calls.filter { $0.ask.process == number }
    }
    for call in calls { call.cancel() }
    do {
      try begin(number)
    } catch {
      state.withLock { $0.failure = error }
    }
  }

  // MARK: Events

  private func perform(_ action: SharingPlan.Action) throws {
    switch action {
    case .get(let ask): get(ask)
    case .change(let path, let road, let process): change(path, over: road, in: process)
    case .cancel(let number):
      let call = state.withLock { $0.calls.indices.contains(number) ? $0.calls[number] : nil }
      call?.cancel()
    case .open: for call in state.withLock({ $0.calls }) { call.open() }
    case .signIn(let session, let user):
      turn(session, to: user)
      let token = network.onServer { $0.issue(user: user) }
      try self.session(session)?.signIn(Credential(accessToken: token))
    case .signOut(let session):
      turn(session, to: nil)
      try self.session(session)?.signOut()
    case .rotate(let session):
      guard let user = state.withLock({ $0.users[session] }) else { return }
      let token = network.onServer { $0.issue(user: user) }
      try self.session(session)?.replaceCredential(with: Credential(accessToken: token))
    case .expireTokens: network.onServer { $0.expireTokens() }
    case .removeAll(let process): removeAll(in: process)
    case .fail(let road, let seconds, let isUnreachable):
      let end = scheduler.now + .seconds(seconds)
      network.onServer { server in
        server.failures[road] = SharingServer.Failure(end: end, isUnreachable: isUnreachable)
      }
    case .kill(let process, let steps): self.process(process)?.line.kill(after: steps)
    }
  }

  private func process(_ number: Int) -> Process? { state.withLock { $0.processes[number] } }

  private func session(_ number: Int) -> TokenSession? {
    process(number / SharingPlan.sessions)?.sessions[number % SharingPlan.sessions]
  }

  private func turn(_ session: Int, to user: Int?) {
    state.withLock { $0.turn(session, to: user) }
    network.turn(in: session / SharingPlan.sessions)
  }

  private func removeAll(in number: Int) {
    guard let process = process(number) else { return }
    let time = scheduler.now
    // Other calls may begin while the removal is at work in the folder.
    state.withLock { state in
      state.noteChange { _ in true }
      // Also after its end, until it is written.
      state.changing[number] += plan.policies.indices
      state.changed[number] += plan.policies.indices
    }
    network.turn(in: number)
    let removal = process.cache.removeAll().sink { [weak self] end in
      guard case .finished = end else { return }
      self?.state.withLock { $0.written.removal = max($0.written.removal, time) }
    } receiveValue: { _ in
    }
    network.retain(removal, in: number)
    network.turn(in: number)
    state.withLock { state in
      // The process may have been killed in the midst of it.
      guard state.lives(process, as: number) else { return }
      state.own[number].removal = time
      if process.line.isIdle { state.noteWritten(by: number) }
      state.noteChange { _ in true }
    }
  }

  private func api(over road: Int, for caller: SharingPlan.Caller, in process: Process) -> TestAPI {
    let session: TokenSession? =
      if case .session(let number) = caller {
        process.sessions[number % SharingPlan.sessions]
      } else { nil }
    return TestAPI(
      baseURL: TestAPI.origin, transport: process.roads[road], session: session,
      rateLimiter: process.limiter, cache: process.cache, coalescer: process.coalescer)
  }

  private func get(_ ask: SharingPlan.Ask) {
    guard let process = process(ask.process) else { return }
    let call = state.withLock { state in
      let call = SharingCall(
        number: state.calls.count, ask: ask, begin: scheduler.now, of: plan, in: state
      ) { [weak self] time in
        self?.block(for: time)
      }
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

  private func change(_ path: Int, over road: Int, in number: Int) {
    guard let process = process(number) else { return }
    let line = process.line
    state.withLock { state in
      state.changing[number].append(path)
      state.noteChange { $0 == path }
    }
    let sink = api(over: road, for: .nobody, in: process)
      .post(endpoint: "\(path)", body: .data(Data("changed".utf8)))
      .sink { [weak self] _ in
        self?.state.withLock { state in
          guard state.lives(process, as: number) else { return }
          state.changed[number].append(path)
          if line.isIdle { state.noteWritten(by: number) }
        }
      } receiveValue: { [weak self] response in
        guard let self, response.isSuccess, let edition = Int(response.text) else { return }
        network.turn(in: number)
        state.withLock { state in
          guard state.lives(process, as: number) else { return }
          state.own[number].editions[road][path] = max(
            state.own[number].editions[road][path], edition)
          state.noteChange { $0 == path }
          if line.isIdle { state.noteWritten(by: number) }
        }
      }
    network.retain(sink, in: number)
  }
}
