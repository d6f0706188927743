import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Requests that must not run twice")
struct IdempotencyKeyTests {
  /// Makes k1, k2, k3 and so on.
  private func keys(_ log: Log = Log()) -> @Sendable () -> String {
    {
      log.add("")
      return "k\(log.lines.count)"
    }
  }

  @Test("RT-07: a POST without a key is sent once", arguments: [HTTPMethod.post, .patch])
  func once(method: HTTPMethod) {
    let call = RetriedCall(.status(503), .status(200), method: method)
    #expect(call.status == 503)
    #expect(call.refusal == "\(method) may have been processed, and has no Idempotency-Key")
    let cut = RetriedCall(.fault(.connectionReset), .status(200), method: method)
    #expect(cut.sends == 1)
  }

  @Test("RT-07: a POST that provably never left is sent again without a key, each time anew")
  func neverLeft() {
    let refused = ScriptedTransport.Answer.fault(.connectionRefused, mayHaveBeenProcessed: false)
    let call = RetriedCall(refused, refused, .status(201), method: .post)
    #expect(call.status == 201)
    #expect(call.transport.values(of: "Idempotency-Key") == [nil, nil, nil])
  }

  @Test("RT-08: a key that the policy makes is the same for all attempts, and new for each call")
  func made() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(on: scheduler) { number, _ in
      .status(number.isMultiple(of: 3) ? 201 : 503)
    }
    let policy = RetryPolicy.test(scheduler) { $0.idempotencyKey = keys() }
    let publisher = TestAPI(transport: transport).post(endpoint: "a", body: .data(Data("{}".utf8)))
      .retry(policy)
    for _ in 1...2 {
      let call = RetriedCall(scheduler, transport)
      publisher.receive(subscriber: call.subscriber)
      scheduler.run()
      #expect(call.status == 201)
    }
    #expect(
      transport.values(of: "Idempotency-Key") == ["k1", "k1", "k1", "k2", "k2", "k2"])
    #expect(transport.requests.map(\.httpBody) == Array(repeating: Data("{}".utf8), count: 6))
  }

  @Test("RT-08: a key that the modifier makes anew each time stays the first one")
  func modifier() {
    let keys = keys()
    let call = RetriedCall(
      .status(503), .fault(.connectionReset), .status(201), method: .post,
      modifier: { $0.adding("Idempotency-Key", keys()) })
    #expect(call.status == 201)
    #expect(call.transport.values(of: "Idempotency-Key") == ["k1", "k1", "k1"])
  }

  @Test("RT-08: the modifier's key goes before the policy's")
  func both() {
    let log = Log()
    let call = RetriedCall(
      .status(503), .status(201), method: .post, change: { $0.idempotencyKey = keys(log) },
      modifier: { $0.adding("Idempotency-Key", "mine") })
    #expect(call.transport.values(of: "Idempotency-Key") == ["mine", "mine"])
    #expect(log.lines.isEmpty)
  }

  @Test("No key is made for a method that needs none", arguments: [HTTPMethod.get, .put, .delete])
  func unneeded(method: HTTPMethod) {
    let call = RetriedCall(.status(503), .status(200), method: method) {
      $0.idempotencyKey = keys()
    }
    #expect(call.transport.values(of: "Idempotency-Key") == [nil, nil])
  }

  @Test("RT-08: two requests of one pipeline have a key each, the same for all attempts")
  func pipeline() {
    let scheduler = TestScheduler()
    // The second request of each attempt fails twice.
    let transport = ScriptedTransport(on: scheduler) { number, _ in
      .status([200, 503, 200, 503, 200, 201][number - 1])
    }
    let api = TestAPI(transport: transport)
    let call = RetriedCall(scheduler, transport)
    api.post(endpoint: "a", body: nil)
      .flatMap { _ in api.post(endpoint: "a", body: nil) }
      .retry(
        .test(scheduler) {
          $0.maxAttempts = 6
          $0.idempotencyKey = keys()
        }
      )
      .receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.status == 201)
    #expect(transport.values(of: "Idempotency-Key") == ["k1", "k2", "k1", "k2", "k1", "k2"])
  }

  @Test("A pipeline with one request that must not run twice is not begun again")
  func mixedPipeline() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(.status(200), .status(503), .status(200), on: scheduler)
    let api = TestAPI(transport: transport)
    let call = RetriedCall(scheduler, transport)
    api.post(endpoint: "a", body: nil)
      .flatMap { _ in api.get(endpoint: "b") }
      .retry(.test(scheduler)).receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.status == 503)
    #expect(call.sends == 2)
  }

  @Test("RT-08: where a later attempt goes another way, no key of the first one's way is left")
  func anotherWay() {
    func request(_ path: String) -> RequestSummary {
      RequestSummary(method: .post, url: URL(string: "https://h.example/\(path)"))
    }
    var keys = IdempotencyKeys()
    keys.beginAttempt(with: nil)
    for path in ["a", "b", "c"] {
      keys.add("key of \(path)", for: request(path))
    }
    keys.beginAttempt(with: nil)
    #expect(keys.key(of: request("a")) == "key of a")
    keys.add("key of a", for: request("a"))
    #expect(keys.key(of: request("x")) == nil)
    keys.add("key of x", for: request("x"))
    #expect(keys.key(of: request("c")) == nil)
    keys.add("another key of c", for: request("c"))
    keys.beginAttempt(with: nil)
    let again = ["a", "x", "c"].map { path in
      let key = keys.key(of: request(path))
      keys.add(key, for: request(path))
      return key
    }
    #expect(again == ["key of a", "key of x", "another key of c"])
  }

  private func request(_ path: String) -> RequestSummary {
    RequestSummary(method: .post, url: URL(string: "https://h.example/\(path)"))
  }

  @Test("RT-08: a request that a refresh repeats counts once, and one that it brings counts")
  func repeated() {
    var keys = IdempotencyKeys()
    keys.beginAttempt(with: nil)
    keys.add("k1", for: request("a"))
    keys.beginRepetition(since: 0)
    #expect(keys.key(of: request("a")) == "k1")
    keys.add("k1", for: request("a"))
    keys.add("k2", for: request("b"))
    #expect(keys.key(of: request("a")) == nil)
    keys.add("k3", for: request("a"))
    keys.beginAttempt(with: nil)
    let again = ["a", "b", "a"].map { path in
      let key = keys.key(of: request(path))
      keys.add(key, for: request(path))
      return key
    }
    #expect(again == ["k1", "k2", "k3"])
  }

  @Test(
    "RT-08: of two requests to one place a refresh repeats both, or the second",
    arguments: [(0, ["k1", "k2"]), (1, ["k2"])])
  func repeatedTwins(start: Int, expected: [String]) {
    var keys = IdempotencyKeys()
    keys.beginAttempt(with: nil)
    for key in ["k1", "k2"] { keys.add(key, for: request("a")) }
    #expect(keys.place == 2)
    keys.beginRepetition(since: start)
    for key in expected {
      #expect(keys.key(of: request("a")) == key)
      keys.add(key, for: request("a"))
    }
    #expect(keys.key(of: request("a")) == nil)
    #expect(keys.place == 2)
  }

  @Test("RT-08: what a refresh would have repeated is forgotten as a retry begins")
  func retryAfterRefresh() {
    var keys = IdempotencyKeys()
    keys.beginAttempt(with: nil)
    for key in ["k1", "k2"] { keys.add(key, for: request("a")) }
    keys.beginRepetition(since: 1)
    keys.beginAttempt(with: nil)
    #expect(keys.key(of: request("a")) == "k1")
  }

  @Test("RT-08 TR-12: a pipeline that posts twice to one place keeps its keys behind a refresh")
  func refreshedTwins() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(
      .status(200), .status(401), .status(200), .status(201), on: scheduler)
    let session = TokenSession(
      grant: ClosureGrant { _ in
        Just(TokenResponse(accessToken: "t1")).setFailureType(to: (any Error).self)
      },
      store: MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r")),
      scheduler: scheduler)
    let api = TestAPI(transport: transport)
    let call = RetriedCall(scheduler, transport)
    session.authorize(
      api.post(endpoint: "a", body: nil) { $0.adding("Idempotency-Key", "k1") }
        .flatMap { _ in api.post(endpoint: "a", body: nil) { $0.adding("Idempotency-Key", "k2") } }
    ).receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.status == 201)
    #expect(transport.values(of: "Idempotency-Key") == ["k1", "k2", "k1", "k2"])
  }

  @Test("RT-08: a repetition within another one, and one beside it, keep what the others wait for")
  func severalRepetitions() {
    var keys = IdempotencyKeys()
    keys.beginAttempt(with: nil)
    for (path, key) in [("a1", "k1"), ("a2", "k2"), ("b", "k3")] {
      keys.add(key, for: request(path))
    }
    keys.beginRepetition(since: 0)
    #expect(keys.place == 0)
    keys.add("k1", for: request("a1"))
    keys.beginRepetition(since: 2)
    keys.add("k3", for: request("b"))
    #expect(keys.key(of: request("a2")) == "k2")
    keys.beginRepetition(since: 0)
    #expect(keys.key(of: request("a1")) == "k1")
  }

  @Test("RT-08 TR-12: a refresh within what another refresh repeats keeps the keys")
  func nestedRefresh() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(
      .status(201), .status(401), .status(401), .status(201), .status(201), on: scheduler)
    let (api, keys) = (TestAPI(transport: transport), keys())
    let call = RetriedCall(scheduler, transport)
    api.post(endpoint: "a", body: nil) { $0.adding("Idempotency-Key", keys()) }
      .retryOnceOnUnauthorizedResponse(chainedRequest: Empty<Int, any Error>())
      .flatMap { _ in api.post(endpoint: "b", body: nil) { $0.adding("Idempotency-Key", keys()) } }
      .retryOnceOnUnauthorizedResponse(chainedRequest: Empty<Int, any Error>())
      .receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(transport.values(of: "Idempotency-Key") == ["k1", "k2", "k1", "k1", "k2"])
  }

  @Test("RT-08 TR-12: two calls that waited for one token and are refused keep a key each")
  func twinsThatWaited() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(
      .status(401), .status(401), .status(201), .status(201), on: scheduler,
      taking: .milliseconds(10))
    let session = TokenSession(
      grant: ClosureGrant { _ in
        Just(TokenResponse(accessToken: "t1")).setFailureType(to: (any Error).self)
          .delay(for: .seconds(1), scheduler: scheduler)
      },
      store: MemoryTokenStore(
        Credential(accessToken: "t0", refreshToken: "r", expiresAt: .distantPast)),
      scheduler: scheduler)
    let api = TestAPI(transport: transport)
    func post(_ key: String) -> AnyPublisher<RESTResponse, any Error> {
      session.authorize(api.post(endpoint: "a", body: nil) { $0.adding("Idempotency-Key", key) })
    }
    let call = RetriedCall(scheduler, transport)
    post("k1").zip(post("k2")).map { $0.1 }.retry(.test(scheduler))
      .receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(transport.values(of: "Idempotency-Key") == ["k1", "k2", "k1", "k2"])
  }

  @Test("RT-08: a key that only a later attempt has is that of all behind it")
  func lateKey() {
    var keys = IdempotencyKeys()
    for key in [nil, "late"] as [String?] {
      keys.beginAttempt(with: nil)
      #expect(keys.key(of: request("a")) == nil)
      keys.add(key, for: request("a"))
    }
    keys.beginAttempt(with: nil)
    #expect(keys.key(of: request("a")) == "late")
  }
}
