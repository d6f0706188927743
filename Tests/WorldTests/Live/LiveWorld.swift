import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Live streams in a world of their own.
///
/// There is an app with sessions, its streams, and a server behind a line of connections. Time is
/// virtual, and all is drawn from one seed.
final class LiveWorld: Sendable {
  let plan: LivePlan
  let scheduler: TestScheduler
  let network: LiveNetwork
  let apps: [LiveApp]
  private let nesting = Lock(0)

  init(_ plan: LivePlan) {
    self.plan = plan
    scheduler = TestScheduler(seed: plan.seed)
    network = LiveNetwork(plan, scheduler: scheduler)
    apps = (0..<plan.sessions).map { LiveApp(number: $0) }
    for app in apps {
      let session = TokenSession(
        grant: JSONRefreshGrant(baseURL: LiveNetwork.origin, transport: network),
        options: TokenSessionOptions(leeway: .seconds(2), refreshTimeout: .seconds(8)),
        scheduler: scheduler, date: { [scheduler] in WallClock.start + scheduler.now / .seconds(1) }
      )
      let ends = session.signOuts.sink { [weak app] cause in
        if case .requested = cause { return }
        app?.turn(to: nil)
      }
      app.state.withLock { state in
        state.session = session
        state.ends = ends
      }
      signIn(app, as: app.number)
    }
  }

  var readers: [LiveReader] { network.streams.withLock { $0 } }

  /// Lets all happen, and then time enough pass for everything to end.
  func run() {
    for event in plan.events {
      _ = scheduler.schedule(after: event.time) { [self] in perform(event.action) }
    }
    scheduler.advance(by: (plan.events.last?.time ?? .zero) + .seconds(20))
    network.quiet()
    for reader in readers { reader.open() }
    scheduler.advance(by: .seconds(400))
  }

  func close() {
    for reader in readers { reader.letGo() }
    network.streams.withLock { $0 = [] }
    for app in apps { app.close() }
  }

  // MARK: Events

  private func perform(_ action: LivePlan.Action) {
    switch action {
    case .ask(let ask): begin(ask)
    case .cancel(let number):
      let readers = readers
      if readers.indices.contains(number) { readers[number].cancel() }
    case .open: for reader in readers { reader.open() }
    case .signIn(let session, let user): signIn(apps[session], as: user)
    case .signOut(let session):
      apps[session].turn(to: nil)
      do {
        try apps[session].session?.signOut()
      } catch {
        network.complain("\(error)")
      }
    case .expireTokens: network.state.withLock { $0.server.expireTokens() }
    case .revoke(let session): network.state.withLock { $0.server.revoke(session) }
    case .replaceFiles: network.state.withLock { $0.server.replaceFiles() }
    }
  }

  private func signIn(_ app: LiveApp, as user: Int) {
    let now = scheduler.now
    let credential = network.state.withLock { state in
      let (number, credential) = state.server.signIn(session: app.number, user: user, at: now)
      state.newest[app.number] = number
      return credential
    }
    app.turn(to: user)
    do {
      try app.session?.signIn(credential)
    } catch {
      network.complain("\(error)")
    }
  }

  /// Blocks the thread of a subscriber for a time.
  private func block(for time: Duration) {
    // Each block is a part of the stack.
    let depth = nesting.withLock { depth in
      depth += 1
      return depth
    }
    if depth < 4 { scheduler.advance(by: time) }
    nesting.withLock { $0 -= 1 }
  }

  private func begin(_ ask: LivePlan.Ask) {
    let app = ask.session.map { apps[$0] }
    let number = readers.count
    let reader = LiveReader(number: number, ask: ask, app: app, scheduler: scheduler) {
      [weak self] time in
      self?.block(for: time)
    } onEnd: { [weak network] reader in
      network?.noteEnd(of: reader)
    }
    network.streams.withLock { $0.append(reader) }
    network.state.withLock { $0.server.begin(ask, user: reader.user) }
    stream(of: reader, number).receive(subscriber: reader)
  }

  // MARK: Streams

  private func retryPolicy(_ numbers: LivePlan.Policy, _ number: Int) -> RetryPolicy {
    var policy = RetryPolicy(
      maxAttempts: numbers.attempts, maxDelay: .seconds(4), totalTime: numbers.total,
      budget: RetryBudget(burst: numbers.burst), scheduler: scheduler)
    policy.maxRetryAfter = numbers.maxRetryAfter
    policy.generator = SeededGenerator(seed: plan.seed &+ UInt64(number))
    policy.wallClock = { [scheduler] in WallClock.start + scheduler.now / .seconds(1) }
    return policy
  }

  private func reconnectPolicy(_ numbers: LivePlan.Policy, _ number: Int) -> ReconnectPolicy {
    var policy = ReconnectPolicy(
      delay: numbers.delay, maxDelay: numbers.maxDelay, silence: numbers.silence,
      maxFailures: numbers.maxFailures, retry: retryPolicy(numbers, number))
    policy.maxServerDelay = LivePlan.Policy.maxServerDelay
    policy.maxRetryAfter = numbers.maxRetryAfter
    policy.responseTimeout = numbers.responseTimeout
    policy.reconnectsAfterEnd = numbers.reconnectsAfterEnd
    return policy
  }

  private func stream(of reader: LiveReader, _ number: Int) -> AnyPublisher<String, any Error> {
    let ask = reader.ask
    let session = reader.app?.session
    let api = TestAPI(
      baseURL: LiveNetwork.origin, transport: network,
      session: ask.isAuthorizedOutside ? nil : session)
    var stream = values(of: reader, from: api, number)
    if ask.isAuthorizedOutside, let session { stream = session.authorize(stream) }
    if let deadline = ask.deadline {
      stream = stream.call(deadline: .after(deadline, scheduler: scheduler)).eraseToAnyPublisher()
    }
    if case .prefix(let count) = ask.reading { stream = stream.prefix(count).eraseToAnyPublisher() }
    return stream
  }

  private func values(
    of reader: LiveReader, from api: TestAPI, _ number: Int
  ) -> AnyPublisher<String, any Error> {
    let ask = reader.ask
    let policy = retryPolicy(ask.policy, number)
    let headers: HTTPHeaders = ["Stream": "\(number)"]
    var skip: (@Sendable (RESTError) -> Void)?
    if ask.skips { skip = { _ in reader.noteSkipped() } }
    let body = api.events(endpoint: "\(number)", headers: headers) {
      $0.adding("Accept-Encoding", "identity")
    }
    switch ask.kind {
    case .feed:
      return api.serverSentEvents(
        endpoint: "\(number)", headers: headers,
        lastEventID: ask.known > 0 ? "\(ask.known)" : "",
        reconnecting: reconnectPolicy(ask.policy, number)
      ).map { "\($0.type)|\($0.id)|\($0.data)" }.eraseToAnyPublisher()
    case .chat:
      return api.publisher(
        for: LiveChat(number: number), reconnecting: reconnectPolicy(ask.policy, number),
        lastEventID: ask.known > 0 ? "\(ask.known)" : ""
      ).map { "\($0.type)|\($0.id)|\($0.data)" }.eraseToAnyPublisher()
    case .tail:
      return body.retry(policy) { request, offset in
        request.adding("Range", "bytes=\(offset)-")
      }.validateStatus().lines(invalidUTF8: .fail)
    case .follow:
      return body.follow(reconnectPolicy(ask.policy, number)) { request, offset in
        request.adding("Range", "bytes=\(offset)-")
      }.validateStatus().lines(invalidUTF8: .fail)
    case .watch:
      return body.decodeLines(of: LiveRow.self, skippingInvalid: skip)
        .follow(reconnectPolicy(ask.policy, number)) { request, last in
          request.adding("After", "\(last.number)")
        }.map(\.text).eraseToAnyPublisher()
    case .lines: return body.retry(policy).validateStatus().lines(invalidUTF8: .fail)
    case .rows, .records:
      return body.decodeLines(
        of: LiveRow.self, format: ask.kind == .rows ? .newlineDelimited : .textSequence,
        skippingInvalid: skip
      ).retry(policy) { request, last in request.adding("After", "\(last.number)") }
        .map(\.text).eraseToAnyPublisher()
    case .rowsOfEndpoint:
      return api.publisher(for: LiveRows(number: number)).map(\.text).eraseToAnyPublisher()
    case .call:
      return api.get(endpoint: "\(number)", headers: headers).retry(policy)
        .validateStatus().map(\.text).eraseToAnyPublisher()
    }
  }
}

/// The response of a model that is written bit by bit.
private struct LiveChat: Endpoint {
  typealias Response = EventStream

  let number: Int
  var method: HTTPMethod { .post }
  var path: ResourcePath { "\(number)" }
  var headers: HTTPHeaders { ["Stream": "\(number)"] }
  var body: RequestBody? { .json(["number": number]) }
}

private struct LiveRows: Endpoint {
  typealias Response = JSONLines<LiveRow>

  let number: Int
  var path: ResourcePath { "\(number)" }
  var headers: HTTPHeaders { ["Stream": "\(number)"] }
}

extension LiveNetwork {
  /// From now on all goes well.
  ///
  /// What would be silent for ever is lost.
  func quiet() {
    let exchanges = state.withLock { state in
      state.server.isQuiet = true
      return state.exchanges.values.sorted { $0.number < $1.number }
    }
    for exchange in exchanges where exchange.isSilent { exchange.reset() }
  }

  /// Looks whether the exchanges of a stream end with it.
  func noteEnd(of reader: LiveReader) {
    _ = scheduler.schedule(after: .milliseconds(100)) { [weak self] in
      guard let self else { return }
      let open = records(of: reader.number).count { $0.outcome == nil }
      if open > 0 { complain("stream \(reader.number) has ended, and \(open) exchanges run on") }
    }
  }
}
