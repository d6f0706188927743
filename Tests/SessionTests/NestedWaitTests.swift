import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Drawn nestings of session, retry, limiter, cache and coalescer, around calls to a server on
/// virtual time whose tokens expire in the middle of the waits.
@Suite("Waits within waits, by seed", .leakFree)
struct NestedWaitTests {
  /// An operator around a verb.
  private enum Layer: CaseIterable { case session, retry, limiter, cache, coalescer }

  /// The server's account of its tokens and requests.
  private struct Account {
    var issued: [String: Duration] = ["t0": .zero]
    var posts: [String: Int] = [:]
    var faults: [String] = []
  }

  private final class Ledger: Sendable {
    let account = Lock(Account())
  }

  /// One drawn world.
  private struct Drawn {
    let scheduler = TestScheduler()
    let life: Duration
    let interval: Duration
    let refreshesBehindLimiter: Bool
    let ledger = Ledger()
    let transport: ScriptedTransport
    let limiter: RateLimiter
    let session: TokenSession
    let cache: HTTPCache
    let coalescer = RequestCoalescer()
    let policy: RetryPolicy

    init(_ generator: inout SeededGenerator) {
      life = .seconds(Int.random(in: 4...12, using: &generator))
      refreshesBehindLimiter = Bool.random(using: &generator)
      // If a refresh takes a turn and its token lives no longer than to the next one, no request
      // can leave: see the test of tokens that nobody can use.
      let longest = refreshesBehindLimiter ? life - .seconds(3) : .seconds(9)
      interval = min(.seconds(Int.random(in: 1...9, using: &generator)), longest)
      let (scheduler, ledger, life) = (scheduler, ledger, life)
      let isLimited = refreshesBehindLimiter
      var busy = (0..<40).map { _ in Int.random(in: 0..<4, using: &generator) == 0 }
      let script = busy
      busy = []
      let moves = (0..<40).map { _ in Int.random(in: 0..<6, using: &generator) == 0 }
      let wait = Int.random(in: 1...15, using: &generator)
      let taking = Duration.milliseconds(Int.random(in: 0...900, using: &generator))
      transport = ScriptedTransport(on: scheduler, taking: taking) { number, request in
        Self.answer(
          request, isBusy: number < script.count && script[number],
          isMoved: number < moves.count && moves[number], isLimited: isLimited, wait: wait,
          life: life,
          at: scheduler.now, ledger)
      }
      limiter = RateLimiter(
        1, per: interval, burst: 1, maxWait: .seconds(10_000), honorsServer: false,
        scheduler: scheduler)
      let begin = Date(timeIntervalSince1970: 784_111_777)
      let tokens = TestAPI(
        baseURL: TestAPI.origin, transport: transport,
        rateLimiter: refreshesBehindLimiter ? limiter : nil)
      session = TokenSession(
        grant: ClosureGrant { _ in
          tokens.post(endpoint: "token", body: nil).tryMap { response in
            TokenResponse(
              accessToken: String(decoding: response.data, as: UTF8.self), lifetime: life)
          }.eraseToAnyPublisher()
        },
        store: MemoryTokenStore(
          Credential(
            accessToken: "t0", refreshToken: "r",
            expiresAt: begin.addingTimeInterval(life.inSeconds))),
        options: {
          var options = TokenSessionOptions()
          options.leeway = .seconds(1)
          return options
        }(),
        scheduler: scheduler, date: { begin.addingTimeInterval(scheduler.now.inSeconds) })
      cache = HTTPCache(date: { begin.addingTimeInterval(scheduler.now.inSeconds) })
      policy = .test(scheduler) {
        $0.maxAttempts = 6
        $0.totalTime = nil
        $0.budget = nil
      }
    }

    private static func answer(
      _ request: URLRequest, isBusy: Bool, isMoved: Bool, isLimited: Bool, wait: Int,
      life: Duration, at now: Duration, _ ledger: Ledger
    ) -> ScriptedTransport.ServerResponse {
      ledger.account.withLock { account in
        let path = request.url?.path ?? ""
        if path == "/token" {
          // Only a token that has almost expired is renewed: two refreshes at once, or one after a
          // token that another call has already renewed, find a younger one. The lifetime of a
          // token counts from its request, which a limiter may hold back.
          let newest = account.issued.values.max() ?? .zero
          if !isLimited, now < newest + life - .seconds(1) {
            account.faults.append("a refresh at \(now), but a token is from \(newest)")
          }
          let token = "t\(account.issued.count)"
          account.issued[token] = now
          return .status(200, body: Data(token.utf8))
        }
        let token =
          request.value(forHTTPHeaderField: "Authorization").map { $0.dropFirst(7) } ?? "-"
        guard let begin = account.issued[String(token)], now < begin + life else {
          account.faults.append("\(path) left at \(now) with \(token)")
          return .status(401)
        }
        if isMoved, !path.hasPrefix("/moved") {
          return .status(307, ["Location": "/moved\(path)"])
        }
        if request.httpMethod == "POST" { account.posts[path, default: 0] += 1 }
        if isBusy, request.httpMethod == "GET" { return .status(503, ["Retry-After": "\(wait)"]) }
        return .status(200, ["Cache-Control": "max-age=3"])
      }
    }

    /// A call below drawn operators, a session among them.
    func call(_ number: Int, _ generator: inout SeededGenerator) -> AnyPublisher<
      RESTResponse, any Error
    > {
      // An operator, or a property of the API.
      let isProperty = { (generator: inout SeededGenerator) in
        Int.random(in: 0..<4, using: &generator) == 0
      }
      var layers = Layer.allCases.filter { $0 == .session || Bool.random(using: &generator) }
      layers.shuffle(using: &generator)
      var api = TestAPI(baseURL: TestAPI.origin, transport: transport)
      layers.removeAll { layer in
        guard isProperty(&generator) else { return false }
        switch layer {
        case .session: api.session = session
        case .retry: api.retry = policy
        case .limiter: api.rateLimiter = limiter
        case .cache: api.cache = cache
        case .coalescer: api.coalescer = coalescer
        }
        return true
      }
      let isPost = Int.random(in: 0..<4, using: &generator) == 0
      var call =
        isPost
        ? api.post(endpoint: "post/\(number)", body: nil)
        : api.get(endpoint: "get/\(number % 2)")
      for layer in layers {
        switch layer {
        case .session: call = session.authorize(call)
        case .retry: call = call.retry(policy)
        case .limiter: call = call.rateLimited(by: limiter)
        case .cache: call = call.cached(in: cache)
        case .coalescer: call = call.coalesced(in: coalescer)
        }
      }
      return call
    }
  }

  @Test("In any nesting nothing dead leaves, a token is renewed once, and every call ends")
  func nestings() {
    for seed in UInt64(0)..<600 {
      var generator = SeededGenerator(seed: seed)
      let drawn = Drawn(&generator)
      var calls: [TestSubscriber<RESTResponse, any Error>] = []
      for number in 0..<Int.random(in: 1...6, using: &generator) {
        let subscriber = TestSubscriber<RESTResponse, any Error>()
        drawn.call(number, &generator).receive(subscriber: subscriber)
        calls.append(subscriber)
        drawn.scheduler.advance(by: .milliseconds(Int.random(in: 0...6_000, using: &generator)))
      }
      drawn.scheduler.run()
      let account = drawn.ledger.account.withLock { $0 }
      // A token may expire between its departure and its arrival only, and here both are one
      // moment. So no request is refused, and no turn of the limiter is spent on a refusal.
      #expect(account.faults.isEmpty, "seed \(seed): \(account.faults)")
      #expect(account.posts.values.allSatisfy { $0 == 1 }, "seed \(seed): \(account.posts)")
      for (number, call) in calls.enumerated() {
        #expect(
          call.failure == nil, "seed \(seed), call \(number): \(String(describing: call.failure))")
        #expect(call.values.count == 1, "seed \(seed), call \(number): \(call.values)")
      }
    }
  }
}
