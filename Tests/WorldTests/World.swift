import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The whole client in a world of its own.
///
/// There is an app with several sessions on one store, as in two processes, their calls, and a
/// network. Time is virtual, and all is drawn from one seed.
final class World: Sendable {
  static let leeway = Duration.seconds(5)
  static let policy = (
    attempts: 3, total: Duration.seconds(16), longestRetryAfter: Duration.seconds(5)
  )
  /// How often a call of several requests may go out: all of them count.
  static let pipelineAttempts = 9
  static let budget = (burst: 3, successesPerRetry: 4)

  struct API: RESTAPI {
    let baseURL = WorldNetwork.api
    let transport: any Transport
    let secretHeaders = ["X-Api-Key"]
    var retry: RetryPolicy?
    var session: TokenSession?
  }

  private struct State: Sendable {
    /// The session that stands in each place; others live on in their calls.
    var places: [WorldSession] = []
    var sessions: [WorldSession] = []
    var observers: [Int: ObservedTransport] = [:]
    var calls: [WorldCall] = []
  }

  let plan: WorldPlan
  let scheduler: TestScheduler
  let network: WorldNetwork
  let store: WorldStore
  private let budget = RetryBudget(
    burst: World.budget.burst, successesPerRetry: World.budget.successesPerRetry)
  private let state = Lock(State())

  init(_ plan: WorldPlan) {
    self.plan = plan
    scheduler = TestScheduler(seed: plan.seed)
    network = WorldNetwork(plan, leeway: Self.leeway, scheduler: scheduler)
    store = WorldStore(plan, network: network)
    for place in 0..<plan.sessionCount {
      let session = makeSession()
      state.withLock { $0.places.insert(session, at: place) }
    }
  }

  var calls: [WorldCall] { state.withLock { $0.calls } }
  var sessions: [WorldSession] { state.withLock { $0.sessions } }
  var complaints: [String] { network.state.withLock { $0.complaints } }

  private func makeSession() -> WorldSession {
    let app = WorldSession(number: sessions.count)
    let line = ObservedTransport(WorldLine(network: network, number: app.number), clock: scheduler)
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: WorldNetwork.identity, transport: line), store: store,
      options: TokenSessionOptions(leeway: Self.leeway, refreshTimeout: .seconds(8)),
      scheduler: scheduler, date: { [scheduler] in WallClock.start + scheduler.now / .seconds(1) })
    let ends = session.signOuts.sink { [weak app] cause in
      if case .requested = cause { return }
      app?.turn(to: nil)
    }
    let logs = line.callLogs.sink { [weak app] log in app?.state.withLock { $0.logs.append(log) } }
    app.state.withLock { state in
      state.session = session
      state.subscriptions = [ends, logs]
    }
    self.state.withLock { state in
      state.sessions.append(app)
      state.observers[app.number] = line
    }
    return app
  }

  /// Lets all happen, and then time enough pass for everything to end.
  func run() {
    for event in plan.events {
      _ = scheduler.schedule(after: event.time) { [self] in perform(event.action) }
    }
    scheduler.advance(by: (plan.events.last?.time ?? .zero) + .seconds(300))
  }

  private func perform(_ action: WorldPlan.Action) {
    switch action {
    case .signIn(let place, let user):
      let app = state.withLock { $0.places[place] }
      let credential = network.state.withLock { $0.server.signIn(user: user, at: scheduler.now) }
      app.turn(to: user)
      write(to: .user(user)) { try app.session?.signIn(credential) }
    case .signOut(let place):
      let app = state.withLock { $0.places[place] }
      app.turn(to: nil)
      write(to: .nobody) { try app.session?.signOut() }
      if store.owner == .nobody, store.content != nil {
        network.complain("a sign-out leaves a token")
      }
    case .replace(let place):
      let app = state.withLock { $0.places[place] }
      guard let user = app.user else { return }
      let credential = network.state.withLock { $0.server.signIn(user: user, at: scheduler.now) }
      write(to: .user(user)) { try app.session?.replaceCredential(with: credential) }
    case .call(let kind, let place): call(kind, in: state.withLock { $0.places[place] })
    case .cancel(let back):
      let call = state.withLock { state in
        back < state.calls.count ? state.calls[state.calls.count - 1 - back] : nil
      }
      call?.cancel()
    case .expireTokens: network.state.withLock { $0.server.expireAll() }
    case .revoke(let user): network.state.withLock { $0.server.revoke(user: user) }
    case .letGo(let place):
      let new = makeSession()
      let old = state.withLock { state in
        defer { state.places[place] = new }
        return state.places[place]
      }
      old.letGo()
    case .breakStore(let isBroken): store.setBroken(isBroken)
    }
  }

  /// Changes who the store is for.
  private func write(to owner: WorldStore.Owner, _ body: () throws -> Void) {
    store.setOwner(.unknown)
    do {
      try body()
      store.setOwner(owner)
    } catch {
      // The store holds what it did, and may learn of it later.
    }
  }

  private func call(_ kind: WorldCall.Kind, in app: WorldSession) {
    guard let session = app.session, let line = state.withLock({ $0.observers[app.number] }) else {
      return
    }
    let number = calls.count
    let call = WorldCall(number: number, kind: kind, app: app, begin: scheduler.now)
    state.withLock { $0.calls.append(call) }
    network.calls.withLock { $0[number] = call }
    let keys = WorldCount()
    let makeKey: @Sendable () -> String = { "key \(number).\(keys.next())" }
    var policy = RetryPolicy(
      maxAttempts: kind.pipeline == nil ? Self.policy.attempts : Self.pipelineAttempts,
      maxDelay: .seconds(4), totalTime: Self.policy.total, budget: budget,
      idempotencyKey: kind.hasKey ? makeKey : nil, scheduler: scheduler)
    policy.maxRetryAfter = Self.policy.longestRetryAfter
    policy.attemptTimeout = .seconds(9)
    policy.generator = SeededGenerator(seed: plan.seed &+ UInt64(number))
    policy.wallClock = { [scheduler] in WallClock.start + scheduler.now / .seconds(1) }
    if let pipeline = kind.pipeline {
      let assembly = WorldAssembly(
        pipeline: pipeline, call: call,
        api: API(transport: line, retry: pipeline.hasOwnPolicy ? policy : nil), session: session,
        policy: policy, network: network, makeKey: makeKey)
      return call.run(assembly.publisher)
    }
    let isByTheAPI = kind.retrying == .byTheAPI
    let api = API(
      transport: line, retry: isByTheAPI ? policy : nil, session: isByTheAPI ? session : nil)
    let modifier: RequestModifier = { $0.adding("X-Api-Key", "secret-key") }
    let endpoint = "things/\(number)"
    let request =
      kind.isPost
      ? api.post(endpoint: endpoint, body: .data(Data("{}".utf8)), requestModifier: modifier)
      : api.get(endpoint: endpoint, requestModifier: modifier)
    let isInside = kind.retrying == .inside
    let authorized = network.watching(
      isByTheAPI ? request : session.authorize(isInside ? request.retry(policy) : request),
      of: call, sending: [""], by: session)
    call.run(kind.retrying == .outside ? authorized.retry(policy) : authorized)
  }

  /// Lets go of all that the app holds.
  func close() {
    for call in calls { call.letGo() }
    for session in sessions { session.close() }
    network.calls.withLock { $0 = [:] }
    state.withLock { $0 = State() }
  }
}
