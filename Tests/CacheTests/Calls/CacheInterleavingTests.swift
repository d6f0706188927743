import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Cached calls in thousands of orders", .leakFree)
struct CacheInterleavingTests {
  /// Two principals, one of whom signs out and in again, two resources that change, and a server
  /// that takes its time.
  private final class Story: Sendable {
    /// A state of a resource, and its time.
    struct Version: Sendable {
      var end: Duration?
    }

    struct Call: Sendable {
      let principal: String
      let path: String
      let begin: Duration
      /// The first version that it may get: that of the last change that its principal knew of.
      let known: Int
      let subscriber: TestSubscriber<RESTResponse, any Error>
      var isCancelled = false
    }

    struct RecordedExchange: Sendable {
      let key: String
      /// How many changes had gone through the cache when it was sent.
      let changes: Int
      /// Whether it is that of a call which may not use the response that it has waited for.
      let isForwarded: Bool
    }

    struct State: Sendable {
      var generator: SeededGenerator
      var epoch = 0
      var versions: [String: [Version]] = ["/a": [Version()], "/b": [Version()]]
      /// How many changes went through the cache.
      var changes: [String: Int] = [:]
      /// The version that a principal's last change brought.
      var known: [String: Int] = [:]
      var calls: [Call] = []
      var open: [Int: RecordedExchange] = [:]
      /// Whether a response arrives that only one call may use.
      var isForwarding = false
      var faults: [String] = []
    }

    /// The longest that a response may be given for after its version ended: fresh for 10 s, then
    /// stale for 5.
    static let longest = Duration.seconds(15)

    let scheduler: TestScheduler
    let cache: HTTPCache
    let session = TokenSession(
      grant: ClosureGrant { _ in Fail<TokenResponse, any Error>(error: CancellationError()) })
    let state: Lock<State>

    init(_ scheduler: TestScheduler) throws {
      self.scheduler = scheduler
      cache = HTTPCache(
        servesStaleWhenUnreachable: false,
        date: { CacheWorld.start + scheduler.now / .seconds(1) })
      state = Lock(State(generator: SeededGenerator(seed: scheduler.seed ?? 0)))
      try session.signIn(Credential(accessToken: "0"))
    }

    func draw(_ range: Range<Int>) -> Int {
      state.withLock { Int.random(in: range, using: &$0.generator) }
    }

    // MARK: The server

    var transport: HeldTransport {
      HeldTransport(
        onRequest: { [self] transport, place in
          begin(transport.requests[place], at: place)
          _ = scheduler.schedule(after: .milliseconds(draw(0..<4_000))) { [self] in
            answer(transport, place)
          }
        }, onCancel: { [self] place in state.withLock { $0.open[place] = nil } })
    }

    private func principal(of request: URLRequest) -> String {
      request.value(forHTTPHeaderField: "Authorization") ?? "nobody"
    }

    private func begin(_ request: URLRequest, at place: Int) {
      let (who, path) = (principal(of: request), request.url?.path ?? "")
      guard request.httpMethod == "GET" else { return }
      state.withLock { state in
        let exchange = RecordedExchange(
          key: "\(who) \(path)", changes: state.changes[path] ?? 0,
          isForwarded: state.isForwarding)
        if !exchange.isForwarded,
          state.open.values.contains(where: {
            $0.key == exchange.key && $0.changes == exchange.changes && !$0.isForwarded
          })
        {
          state.faults.append("two requests for \(exchange.key) where one would do")
        }
        state.open[place] = exchange
      }
    }

    private func answer(_ transport: HeldTransport, _ place: Int) {
      guard transport.open.contains(place) else { return }
      let request = transport.requests[place]
      let (who, path) = (principal(of: request), request.url?.path ?? "")
      state.withLock { $0.open[place] = nil }
      guard request.httpMethod == "GET" else {
        change(path)
        // He knows of it once he has the response, at this moment.
        state.withLock { state in
          state.changes[path, default: 0] += 1
          state.known["\(who) \(path)"] = (state.versions[path]?.count ?? 1) - 1
        }
        return transport.answer(place, 204)
      }
      if draw(0..<8) == 0 { return transport.fail(place) }
      let version = state.withLock { ($0.versions[path]?.count ?? 1) - 1 }
      let tag = "\"\(version)\""
      let control = ["max-age=10", "max-age=5, stale-while-revalidate=5", "no-cache", "no-store"]
      let kind = draw(0..<4)
      let headers: HTTPHeaders = ["ETag": tag, "Cache-Control": control[kind]]
      state.withLock { $0.isForwarding = kind > 1 }
      defer { state.withLock { $0.isForwarding = false } }
      if request.value(forHTTPHeaderField: "If-None-Match") == tag {
        transport.answer(place, 304, headers: headers)
      } else {
        transport.answer(place, headers: headers, body: "\(who) \(path) \(version)")
      }
    }

    private func change(_ path: String) {
      let now = scheduler.now
      state.withLock { state in
        guard let last = state.versions[path]?.indices.last else { return }
        state.versions[path]?[last].end = now
        state.versions[path]?.append(Version())
      }
    }

    // MARK: The principals

    func act(_ transport: HeldTransport) throws {
      let api = CacheWorld.api(
        over: transport, session: session, cache: cache, coalescer: coalescer)
      let path = ["a", "b"][draw(0..<2)]
      let isUser = draw(0..<2) == 0
      switch draw(0..<12) {
      case 0..<8: read(api, path, isUser: isUser)
      case 8, 9:
        // Others' changes are the server's, and nothing here knows of them.
        if draw(0..<2) == 0 { return change("/\(path)") }
        let put = api.put(
          endpoint: path, body: nil, authorization: isUser ? .session : .none)
        put.receive(subscriber: TestSubscriber<RESTResponse, any Error>())
      case 10:
        let epoch = state.withLock { state in
          state.epoch += 1
          return state.epoch
        }
        try session.signOut()
        try session.signIn(Credential(accessToken: "\(epoch)"))
      default:
        let calls = state.withLock { $0.calls.count }
        if calls > 0 { cancel(draw(0..<calls)) }
      }
    }

    private let coalescer = RequestCoalescer()

    private func read(_ api: TestAPI, _ path: String, isUser: Bool) {
      let subscriber = TestSubscriber<RESTResponse, any Error>()
      let now = scheduler.now
      state.withLock { state in
        let who = isUser ? "Bearer \(state.epoch)" : "nobody"
        state.calls.append(
          Call(
            principal: who, path: "/\(path)", begin: now,
            known: state.known["\(who) /\(path)"] ?? 0,
            subscriber: subscriber))
      }
      api.get(endpoint: path, authorization: isUser ? .session : .none)
        .handleEvents(receiveOutput: { [self, number = state.withLock { $0.calls.count - 1 }] in
          check($0, of: number)
        })
        .receive(subscriber: subscriber)
    }

    private func cancel(_ number: Int) {
      let subscriber = state.withLock { state in
        let call = state.calls[number]
        if call.subscriber.completions.isEmpty { state.calls[number].isCancelled = true }
        return call.subscriber
      }
      subscriber.cancel()
    }

    // MARK: Invariants

    private func check(_ response: RESTResponse, of number: Int) {
      let now = scheduler.now
      state.withLock { state in
        let call = state.calls[number]
        let words = response.text.split(separator: " ").map(String.init)
        let who = words.dropLast(2).joined(separator: " ")
        guard words.count >= 3, let version = words.last.flatMap({ Int($0) }) else {
          return state.faults.append("call \(number) got \(response.text)")
        }
        if who != call.principal { state.faults.append("\(call.principal) got what was \(who)'s") }
        if words[words.count - 2] != call.path { state.faults.append("\(number): another path") }
        if version < call.known { state.faults.append("\(number) did not see its own change") }
        if let end = state.versions[call.path]?[version].end, now - end > Self.longest {
          state.faults.append("\(number) got what was over for \(now - end)")
        }
      }
    }

    func finish() throws {
      let state = state.withLock { state in
        defer { state.calls = [] }
        return state
      }
      try demand(state.faults.isEmpty, "\(state.faults)")
      for (number, call) in state.calls.enumerated() {
        let ends = call.subscriber.completions.count
        try demand(ends == (call.isCancelled ? 0 : 1), "call \(number): \(ends) ends")
        try demand(call.subscriber.values.count <= 1, "call \(number) got several")
      }
    }
  }

  @Test("No response is too old, another user's, or requested unnecessarily")
  func orders() throws {
    try TestScheduler.explore(seeds: UInt64(0)..<2_000) { scheduler in
      let story = try Story(scheduler)
      let transport = story.transport
      for _ in 0..<story.draw(5..<40) {
        try story.act(transport)
        scheduler.advance(by: .milliseconds(story.draw(0..<4_000)))
      }
      scheduler.run()
      try story.finish()
    }
  }
}
