import Fixtures
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
  private func keys(_ log: ValueLog<String> = ValueLog<String>()) -> @Sendable () -> String {
    {
      log.add("")
      return "k\(log.all.count)"
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

  @Test("RT-07: a POST that provably never left is sent again without a key, newly built each time")
  func neverLeft() {
    let refused = ScriptedTransport.ServerResponse.fault(
      .connectionRefused, mayHaveBeenProcessed: false)
    let call = RetriedCall(refused, refused, .status(201), method: .post)
    #expect(call.status == 201)
    #expect(call.transport.values(of: "Idempotency-Key") == [nil, nil, nil])
  }

  @Test("RT-08: the policy's key is the same for all attempts, and new for each call")
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

  @Test("RT-08: of keys that the modifier makes anew for each attempt, the first one is kept")
  func modifier() {
    let keys = keys()
    let call = RetriedCall(
      .status(503), .fault(.connectionReset), .status(201), method: .post,
      modifier: { $0.adding("Idempotency-Key", keys()) })
    #expect(call.status == 201)
    #expect(call.transport.values(of: "Idempotency-Key") == ["k1", "k1", "k1"])
  }

  @Test("RT-08: the modifier's key has priority over the policy's")
  func both() {
    let log = ValueLog<String>()
    let call = RetriedCall(
      .status(503), .status(201), method: .post, change: { $0.idempotencyKey = keys(log) },
      modifier: { $0.adding("Idempotency-Key", "mine") })
    #expect(call.transport.values(of: "Idempotency-Key") == ["mine", "mine"])
    #expect(log.all.isEmpty)
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

  @Test("A pipeline with one request that must not run twice is not restarted")
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

  private func request(_ path: String) -> RequestSummary {
    RequestSummary(method: .post, url: URL(string: "https://h.example/\(path)"))
  }

  @Test("RT-08: a later attempt that sends other requests keeps the keys of repeated ones")
  func anotherWay() {
    var (keys, retry) = (IdempotencyKeys(), [1])
    for path in ["a", "b", "c"] { keys.add("key of \(path)", for: request(path), in: retry) }
    for (path, key) in [("x", nil), ("c", "key of c"), ("x", "key of x")] as [(String, String?)] {
      keys.repeatRequests(of: retry)
      for (path, key) in [("a", "key of a"), (path, key)] {
        #expect(keys.key(of: request(path), in: retry) == key)
        keys.add(key ?? "key of \(path)", for: request(path), in: retry)
      }
    }
  }

  @Test("RT-08: an attempt that ended early leaves the keys of the requests that it did not reach")
  func endedEarly() {
    var (keys, retry) = (IdempotencyKeys(), [1])
    for key in ["k1", "k2", "k3"] { keys.add(key, for: request("a"), in: retry) }
    for sends in [1, 2, 3, 3] {
      keys.repeatRequests(of: retry)
      for key in ["k1", "k2", "k3"].prefix(sends) {
        #expect(keys.key(of: request("a"), in: retry) == key)
        keys.add(key, for: request("a"), in: retry)
      }
    }
    #expect(keys.key(of: request("a"), in: retry) == nil)
  }

  @Test("Of attempts with ever new requests, the last hundred requests are remembered")
  func newWays() {
    var (keys, retry) = (IdempotencyKeys(), [1])
    for number in 0..<200 {
      keys.add("k\(number)", for: request("\(number)"), in: retry)
      keys.repeatRequests(of: retry)
    }
    #expect(keys.key(of: request("100"), in: retry) == "k100")
    #expect(keys.key(of: request("99"), in: retry) == nil)
    for number in 0..<200 { keys.add("k\(number)", for: request("\(number)"), in: retry) }
    keys.repeatRequests(of: retry)
    keys.repeatRequests(of: retry)
    #expect(keys.key(of: request("0"), in: retry) == "k0")
    #expect(keys.key(of: request("199"), in: retry) == "k199")
  }

  @Test(
    "RT-08: the requests that were absent longest are forgotten first, and an attempt's last ones")
  func forgotten() {
    var (keys, retry) = (IdempotencyKeys(), [1])
    for attempt in [0..<50, 50..<100, 100..<125] {
      for number in attempt { keys.add("k\(number)", for: request("\(number)"), in: retry) }
      keys.repeatRequests(of: retry)
    }
    for (number, key) in [(0, "k0"), (24, "k24"), (25, nil), (49, nil), (50, "k50"), (124, "k124")]
    {
      #expect(keys.key(of: request("\(number)"), in: retry) == key)
    }
  }

  @Test("RT-08: a key that arrives after the repetition began counts for both requests")
  func lateMaker() {
    var (keys, retry) = (IdempotencyKeys(), [1])
    let (place, key) = keys.take(request("a"), body: .stream, key: nil, in: retry)
    #expect(key == nil)
    keys.repeatRequests(of: retry)
    keys.note("k1", at: place)
    #expect(keys.key(of: request("a"), in: retry) == "k1")
  }

  @Test("RT-08: a scope within a repeated scope takes nothing from it")
  func widerRepetition() {
    var (keys, outer) = (IdempotencyKeys(), [1])
    let inner = [2, 1]
    keys.add("k1", for: request("a"), in: inner)
    keys.repeatRequests(of: outer)
    keys.repeatRequests(of: inner)
    #expect(keys.key(of: request("a"), in: [3, 1]) == "k1")
  }

  @Test("RT-07: a request that never arrived does not allow another POST to repeat")
  func postBesideARefusedConnection() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(
      .fault(.connectionRefused, mayHaveBeenProcessed: false), .silence, on: scheduler,
      taking: .milliseconds(10))
    let api = TestAPI(transport: transport)
    let call = RetriedCall(scheduler, transport)
    api.get(endpoint: "a").zip(api.post(endpoint: "b", body: nil)).map { $0.1 }
      .retry(.test(scheduler)).receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.refusal == "POST may have been processed, and has no Idempotency-Key")
    #expect(call.sends == 2)
  }

  @Test("RT-08: equal requests with their own keys keep them in any order")
  func twinsInAnotherOrder() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(
      .status(201), .status(503), .status(201), on: scheduler, taking: .milliseconds(10))
    let (api, attempts) = (TestAPI(transport: transport), ValueLog<String>())
    func post(_ key: String, waits: [Int]) -> AnyPublisher<RESTResponse, any Error> {
      Deferred {
        attempts.add(key)
        let attempt = attempts.all.count { $0 == key }
        return Just(()).setFailureType(to: (any Error).self)
          .delay(for: .milliseconds(waits[attempt - 1]), scheduler: scheduler)
      }
      .flatMap {
        api.post(endpoint: "a", body: nil) { $0.adding("Idempotency-Key", key).adding("Name", key) }
      }
      .eraseToAnyPublisher()
    }
    let call = RetriedCall(scheduler, transport)
    post("k1", waits: [1, 9]).zip(post("k2", waits: [5, 2])).map { $0.1 }
      .retry(.test(scheduler) { $0.maxAttempts = 9 }).receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.status == 201)
    #expect(transport.values(of: "Name") == ["k1", "k2", "k2", "k1"])
    #expect(transport.values(of: "Idempotency-Key") == transport.values(of: "Name"))
  }

  @Test("A finished request's data is released, even if its call goes on")
  func finishedRequests() {
    let (scheduler, released) = (TestScheduler(), ValueLog<String>())
    let transport = ScriptedTransport(.status(201), on: scheduler)
    let session = TokenSession.renewing(on: scheduler)
    let api = TestAPI(transport: transport)
    let names = PassthroughSubject<String, any Error>()
    let call = RetriedCall(scheduler, transport)
    names.flatMap { name in
      let bytes = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 1)
      bytes.initializeMemory(as: UInt8.self, repeating: 0x61, count: 64)
      let body = Data(
        bytesNoCopy: bytes, count: 64,
        deallocator: .custom { bytes, _ in
          released.add(name)
          bytes.deallocate()
        })
      return session.authorize(api.post(endpoint: name, body: .data(body)))
    }
    .retry(.test(scheduler)).receive(subscriber: call.subscriber)
    for number in 0..<300 {
      names.send("\(number)")
      scheduler.run()
    }
    transport.forgetRequests()
    // The log shows the first and the last.
    #expect(released.all.count > 200)
    names.send(completion: .finished)
  }

  @Test("RT-08: a request that a refresh repeats counts once, and a new one counts, too")
  func repeated() {
    var keys = IdempotencyKeys()
    let (retry, refresh) = ([1], [2, 1])
    keys.add("k1", for: request("a"), in: refresh)
    keys.repeatRequests(of: refresh)
    #expect(keys.key(of: request("a"), in: refresh) == "k1")
    keys.add("k1", for: request("a"), in: refresh)
    keys.add("k2", for: request("b"), in: refresh)
    #expect(keys.key(of: request("a"), in: refresh) == nil)
    keys.add("k3", for: request("a"), in: refresh)
    keys.repeatRequests(of: retry)
    let anew = [3, 1]
    let again = ["a", "b", "a"].map { path in
      let key = keys.key(of: request(path), in: anew)
      keys.add(key, for: request(path), in: anew)
      return key
    }
    #expect(again == ["k1", "k2", "k3"])
  }

  @Test("RT-08: of two requests to one place a refresh repeats only its own")
  func repeatedTwins() {
    let (call, refresh) = ([1], [2, 1])
    for isWhole in [true, false] {
      var keys = IdempotencyKeys()
      keys.add("k1", for: request("a"), in: isWhole ? refresh : call)
      keys.add("k2", for: request("a"), in: refresh)
      keys.repeatRequests(of: refresh)
      #expect(keys.key(of: request("a"), in: call) == nil)
      for key in isWhole ? ["k1", "k2"] : ["k2"] {
        #expect(keys.key(of: request("a"), in: refresh) == key)
        keys.add(key, for: request("a"), in: refresh)
      }
      #expect(keys.key(of: request("a"), in: refresh) == nil)
    }
  }

  @Test("RT-08: when a retry begins, the requests that a refresh would repeat come in their place")
  func retryAfterRefresh() {
    var keys = IdempotencyKeys()
    let (retry, refresh) = ([1], [2, 1])
    keys.add("k1", for: request("a"), in: retry)
    keys.add("k2", for: request("a"), in: refresh)
    keys.repeatRequests(of: refresh)
    keys.repeatRequests(of: retry)
    for key in ["k1", "k2"] {
      #expect(keys.key(of: request("a"), in: retry) == key)
      keys.add(key, for: request("a"), in: retry)
    }
  }

  @Test("RT-08 TR-12: of two posts to one place a refresh repeats the refused one, with its key")
  func refreshedTwins() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(
      .status(200), .status(401), .status(201), on: scheduler)
    let session = TokenSession.renewing(on: scheduler)
    let api = TestAPI(transport: transport)
    let call = RetriedCall(scheduler, transport)
    session.authorize(
      api.post(endpoint: "a", body: nil) { $0.adding("Idempotency-Key", "k1") }
        .flatMap { _ in api.post(endpoint: "a", body: nil) { $0.adding("Idempotency-Key", "k2") } }
    ).receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.status == 201)
    #expect(transport.values(of: "Idempotency-Key") == ["k1", "k2", "k2"])
  }

  @Test("RT-08: nested and concurrent repetitions keep each other's remaining keys")
  func severalRepetitions() {
    var keys = IdempotencyKeys()
    let (outer, beside, first) = ([1], [2], [3, 1])
    keys.add("k1", for: request("a"), in: first)
    keys.add("k2", for: request("a"), in: outer)
    keys.add("k3", for: request("a"), in: beside)
    keys.repeatRequests(of: outer)
    let second = [4, 1]
    #expect(keys.key(of: request("a"), in: second) == "k1")
    keys.add("k1", for: request("a"), in: second)
    keys.repeatRequests(of: beside)
    keys.repeatRequests(of: second)
    #expect(keys.key(of: request("a"), in: beside) == "k3")
    #expect(keys.key(of: request("a"), in: second) == "k1")
    keys.add("k1", for: request("a"), in: second)
    #expect(keys.key(of: request("a"), in: outer) == "k2")
  }

  @Test("RT-08 TR-12: after the refresh of one call, a new request of a concurrent call is new")
  func newRequestBesideARefresh() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(
      .status(401), .status(201), .status(201), .status(201), on: scheduler,
      taking: .milliseconds(10))
    let (api, keys) = (TestAPI(transport: transport), keys())
    @Sendable func post(_ path: String) -> AnyPublisher<RESTResponse, any Error> {
      api.post(endpoint: path, body: nil) { $0.adding("Idempotency-Key", keys()) }
        .retryOnceOnUnauthorizedResponse(chainedRequest: Empty<Int, any Error>())
    }
    let call = RetriedCall(scheduler, transport)
    post("a").zip(post("b").flatMap { _ in post("b") }).map { $0.1 }.retry(.test(scheduler))
      .receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.status == 201)
    #expect(transport.values(of: "Idempotency-Key") == ["k1", "k2", "k1", "k4"])
  }

  @Test("RT-08 TR-12: a refresh of the first of two equal requests does not swap their keys")
  func refreshedFirstTwin() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(
      .status(401), .status(503), .status(201), on: scheduler, taking: .milliseconds(10))
    let api = TestAPI(transport: transport)
    func post(_ key: String) -> AnyPublisher<RESTResponse, any Error> {
      api.post(endpoint: "a", body: nil) { $0.adding("Idempotency-Key", key).adding("Name", key) }
        .retryOnceOnUnauthorizedResponse(chainedRequest: Empty<Int, any Error>())
    }
    let call = RetriedCall(scheduler, transport)
    post("k1").zip(post("k2")).map { $0.1 }.retry(.test(scheduler) { $0.maxAttempts = 9 })
      .receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(transport.values(of: "Name") == ["k1", "k2", "k1", "k1", "k2"])
    #expect(transport.values(of: "Idempotency-Key") == transport.values(of: "Name"))
  }

  @Test("RT-07: of two concurrent calls that one session authorizes, a POST is sent once")
  func postBesideARetriedGet() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(
      .status(503), .status(503), .status(200), on: scheduler, taking: .milliseconds(10))
    let session = TokenSession.renewing(on: scheduler)
    let api = TestAPI(transport: transport)
    let call = RetriedCall(scheduler, transport)
    let policy = RetryPolicy.test(scheduler) { $0.maxAttempts = 6 }
    let get = api.get(endpoint: "a").retry(policy)
    let post = api.post(endpoint: "b", body: nil)
      .delay(for: .seconds(30), scheduler: scheduler).retry(policy)
    session.authorize(get.zip(post).map { $0.1 }).receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(transport.requests.map(\.httpMethod) == ["GET", "POST", "GET"])
    #expect(call.status == 503)
  }

  @Test("RT-08 TR-12: a refresh within requests that another refresh repeats keeps the keys")
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

  @Test("RT-08: a key that first appears in a later attempt counts for all after it")
  func lateKey() {
    var (keys, retry) = (IdempotencyKeys(), [1])
    for key in [nil, "late"] as [String?] {
      #expect(keys.key(of: request("a"), in: retry) == nil)
      keys.add(key, for: request("a"), in: retry)
      keys.repeatRequests(of: retry)
    }
    #expect(keys.key(of: request("a"), in: retry) == "late")
  }
}

extension IdempotencyKeys {
  fileprivate mutating func add(
    _ key: String?, for request: RequestSummary, in scopes: [Int]
  ) {
    _ = take(request, body: .stream, key: key, in: scopes)
  }

  /// The key that the next such request takes.
  fileprivate func key(of request: RequestSummary, in scopes: [Int]) -> String? {
    var next = self
    return next.take(request, body: .stream, key: nil, in: scopes).key
  }
}
