import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Concurrent calls for the same resource share one request", .leakFree)
struct CoalescedTests {
  private typealias Subscriber = TestSubscriber<RESTResponse, any Error>

  private let scheduler = TestScheduler()
  private let transport = HeldTransport()
  private let coalescer = RequestCoalescer()

  private var api: TestAPI { TestAPI(baseURL: "https://api.example.com", transport: transport) }

  @discardableResult
  private func begin<P: Publisher>(
    _ publisher: P
  ) -> TestSubscriber<P.Output, P.Failure> {
    let subscriber = TestSubscriber<P.Output, P.Failure>()
    publisher.receive(subscriber: subscriber)
    return subscriber
  }

  private func get(_ modifier: @escaping RequestModifier = { $0 }) -> Subscriber {
    begin(api.get(endpoint: "a", requestModifier: modifier).coalesced(in: coalescer))
  }

  private func bodies(_ subscriber: Subscriber) -> [String] {
    subscriber.values.map { String(decoding: $0.data, as: UTF8.self) }
  }

  @Test("Ten thousand callers of one resource make one request")
  func crowd() {
    let callers = (1...10_000).map { _ in get() }
    #expect(transport.requests.count == 1)
    transport.answer(0)
    #expect(callers.allSatisfy { $0.values.count == 1 && $0.isFinished })
  }

  @Test("A call after the response makes another request")
  func nothingIsKept() {
    let first = get()
    transport.answer(0)
    let second = get()
    transport.answer(1)
    #expect(bodies(first) == ["0"])
    #expect(bodies(second) == ["1"])
  }

  @Test("A call after a change joins no exchange from before it", arguments: [204, 500])
  func change(status: Int) {
    let early = get()
    begin(api.delete(endpoint: "a").coalesced(in: coalescer))
    begin(api.delete(endpoint: "b").coalesced(in: coalescer))
    transport.answer(2, 204)
    let joining = get()
    transport.answer(1, status)
    let late = get()
    #expect(transport.requests.count == (status == 204 ? 4 : 3))
    transport.answer(0, body: "old")
    transport.answer(3, body: "new")
    #expect(bodies(early) == ["old"])
    #expect(bodies(joining) == ["old"])
    #expect(bodies(late) == [status == 204 ? "new" : "old"])
  }

  @Test("An upload counts as a change")
  func uploaded() {
    _ = get()
    begin(
      api.upload(.put, endpoint: "a", body: .data(Data("x".utf8))).coalesced(in: coalescer))
    transport.answer(1, 204)
    _ = get()
    #expect(transport.requests.count == 3)
    transport.answerAll()
  }

  @Test("Only the last caller's cancel ends the exchange")
  func cancels() {
    let callers = (1...3).map { _ in get() }
    callers[0].cancel()
    callers[2].cancel()
    #expect(transport.cancelCount == 0)
    callers[1].cancel()
    #expect(transport.cancelCount == 1)
  }

  // MARK: Equal requests

  /// The requests of two callers.
  struct Pair: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let first: RequestModifier
    let second: RequestModifier

    init(
      _ name: String, _ first: @escaping RequestModifier = { $0 },
      _ second: @escaping RequestModifier
    ) {
      testDescription = name
      self.first = first
      self.second = second
    }
  }

  private static func changing(
    _ change: @escaping @Sendable (inout URLRequest) -> Void
  ) -> RequestModifier {
    { request in
      var request = request
      change(&request)
      return request
    }
  }

  static let different = [
    Pair("another field") { $0.adding("X-A", "1") },
    Pair("another value", { $0.adding("X-A", "1") }, { $0.adding("X-A", "2") }),
    Pair("a value that only looks the same", { $0.adding("X-A", "\u{E9}") }) {
      $0.adding("X-A", "e\u{301}")
    },
    Pair("another case of a value", { $0.adding("X-A", "a") }, { $0.adding("X-A", "A") }),
    Pair("another name", { $0.adding("X-A", "1") }, { $0.adding("X-B", "1") }),
    Pair("a range") { $0.adding("Range", "bytes=0-1") },
    Pair("a condition") { $0.adding("If-None-Match", "1") },
    Pair(
      "another query", { $0 },
      changing { $0.url?.append(queryItems: [.init(name: "a", value: "1")]) }),
    Pair("another path", { $0 }, changing { $0.url?.append(path: "b") }),
    Pair("another method", { $0 }, changing { $0.httpMethod = "HEAD" }),
    Pair("another time-out", { $0 }, changing { $0.timeoutInterval = 5 }),
    Pair("no time-out", { $0 }, changing { $0.timeoutInterval = 0 }),
    Pair("a body", { $0 }, changing { $0.httpBody = Data("a".utf8) }),
    Pair(
      "bodies", changing { $0.httpBody = Data("a".utf8) }, changing { $0.httpBody = Data("a".utf8) }
    ),
    Pair(
      "POST", changing { $0.httpMethod = "POST" }, changing { $0.httpMethod = "POST" }),
    Pair(
      "DELETE", changing { $0.httpMethod = "DELETE" }, changing { $0.httpMethod = "DELETE" }),
  ]

  @Test(
    "Different requests, and those that must not be shared, are sent separately",
    arguments: different)
  func other(pair: Pair) {
    let (first, second) = (get(pair.first), get(pair.second))
    #expect(transport.requests.count == 2)
    transport.answerAll()
    #expect(bodies(first) == ["0"])
    #expect(bodies(second) == ["1"])
  }

  static let alike = [
    Pair("nothing") { $0 },
    Pair("a field", { $0.adding("X-A", "1") }, { $0.adding("X-A", "1") }),
    Pair(
      "a name in another spelling", changing { $0.allHTTPHeaderFields = ["X-A": "1"] },
      changing { $0.allHTTPHeaderFields = ["x-a": "1"] }),
    Pair(
      "fields in another order", { $0.adding("X-A", "1").adding("X-B", "2") },
      { $0.adding("X-B", "2").adding("X-A", "1") }),
    Pair(
      "a range", { $0.adding("Range", "bytes=0-1") }, { $0.adding("Range", "bytes=0-1") }),
    Pair("HEAD", changing { $0.httpMethod = "HEAD" }, changing { $0.httpMethod = "HEAD" }),
  ]

  @Test("Requests that differ only in the spelling of names are shared", arguments: alike)
  func same(pair: Pair) {
    let (first, second) = (get(pair.first), get(pair.second))
    #expect(transport.requests.count == 1)
    transport.answerAll()
    #expect(bodies(first) == ["0"])
    #expect(bodies(second) == ["0"])
  }

  /// A transport with the road of others, and limits of its own.
  private struct LimitedTransport: Transport {
    let inner: HeldTransport
    let limits: TransportLimits
    let identity = TransportIdentity(lasting: "")

    func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
      inner.response(for: request)
    }
  }

  @Test("Callers with other limits on a response do not share it, over one road")
  func limits() {
    var small = TransportLimits()
    small.bodyBytes = 10
    for (limits, requests) in [(TransportLimits(), 1), (small, 2), (small, 2)] {
      let api = TestAPI(
        baseURL: "https://api.example.com",
        transport: LimitedTransport(inner: transport, limits: limits))
      begin(api.get(endpoint: "a").coalesced(in: coalescer))
      #expect(transport.requests.count == requests)
    }
  }

  @Test("Fields that a coalescer ignores make no difference; the first caller's are sent")
  func ignored() {
    let coalescer = RequestCoalescer(ignoring: ["traceparent", "X-Request-ID"])
    for number in 1...3 {
      _ = begin(
        api.get(endpoint: "a") { $0.adding("x-request-id", "\(number)") }.coalesced(in: coalescer))
    }
    #expect(transport.requests.map { $0.value(forHTTPHeaderField: "X-Request-ID") } == ["1"])
    _ = begin(api.get(endpoint: "a") { $0.adding("X-Other", "1") }.coalesced(in: coalescer))
    #expect(transport.requests.count == 2)
  }

  @Test("A credential makes a difference, even if a coalescer ignores its field")
  func ignoredCredential() {
    let coalescer = RequestCoalescer(ignoring: ["X-Auth-Token"])
    for user in ["ada", "bob"] {
      _ = begin(
        api.get(endpoint: "a") { $0.adding("X-Auth-Token", user) }.coalesced(in: coalescer))
    }
    #expect(transport.requests.count == 2)
  }

  @Test("Calls over another transport are another request")
  func transports() {
    let other = HeldTransport()
    _ = get()
    _ = begin(
      TestAPI(baseURL: api.baseURL, transport: other).get(endpoint: "a").coalesced(in: coalescer))
    #expect(transport.requests.count == 1)
    #expect(other.requests.count == 1)
  }

  // MARK: Users

  @Test(
    "TR-34 A request with another Authorization or Cookie is never shared",
    arguments: ["Authorization", "Cookie"])
  func secrets(name: String) {
    let callers = ["ada", "bob", "ada"].map { user in get { $0.adding(name, user) } }
    let nobody = get()
    #expect(transport.requests.map { $0.value(forHTTPHeaderField: name) } == ["ada", "bob", nil])
    transport.answerAll()
    #expect((callers + [nobody]).map(bodies) == [["0"], ["1"], ["0"], ["2"]])
  }

  @Test("TR-34 Calls of one session share; another session's do not, even with the same token")
  func identities() {
    let (mine, others) = (TokenSession.held(scheduler), TokenSession.held(scheduler))
    let call = api.get(endpoint: "a").coalesced(in: coalescer)
    let callers = [mine, others, mine].map { begin($0.authorize(call)) }
    scheduler.run()
    #expect(transport.requests.count == 2)
    transport.answerAll()
    #expect(callers.map(bodies) == [["0"], ["1"], ["0"]])
  }

  @Test("TR-34 The next user shares nothing with the previous one")
  func nextUser() throws {
    let session = TokenSession.held(scheduler)
    let call = session.authorize(api.get(endpoint: "a")).coalesced(in: coalescer)
    let before = begin(call)
    scheduler.run()
    try session.signIn(Credential(accessToken: "t0"))
    let after = begin(call)
    scheduler.run()
    #expect(transport.requests.count == 2)
    transport.answer(1, body: "Bob's")
    transport.answer(0, body: "Ada's")
    #expect(bodies(after) == ["Bob's"])
    #expect(!bodies(before).contains("Bob's"))
  }

  @Test("TR-34 A redirect that drops the token is not shared with another identity")
  func redirectedIdentities() {
    let sessions = [TokenSession.held(scheduler), TokenSession.held(scheduler)]
    let call = api.get(endpoint: "a").coalesced(in: coalescer)
    let callers = sessions.map { begin($0.authorize(call)) }
    scheduler.run()
    for place in 0...1 {
      transport.answer(place, 302, headers: ["Location": "https://files.example.com/b"])
    }
    #expect(transport.paths == ["/a", "/a", "/b", "/b"])
    transport.answerAll()
    #expect(callers.map(bodies) == [["2"], ["3"]])
  }

  // MARK: Scope of sharing

  @Test("All calls of an API with a coalescer share, even over two APIs with the same coalescer")
  func property() {
    let apis = (1...2).map { _ in
      TestAPI(baseURL: TestAPI.origin, transport: transport, coalescer: coalescer)
    }
    let callers = apis.map { begin($0.get(endpoint: "a")) } + [get()]
    #expect(transport.requests.count == 1)
    transport.answer(0)
    #expect(callers.map(bodies) == [["0"], ["0"], ["0"]])
  }

  @Test("Without a coalescer, only subscribers of one publisher share")
  func ownCoalescer() {
    let call = api.get(endpoint: "a").coalesced()
    let callers = [begin(call), begin(call), begin(api.get(endpoint: "a").coalesced())]
    #expect(transport.requests.count == 2)
    transport.answerAll()
    #expect(callers.map(bodies) == [["0"], ["0"], ["1"]])
  }

  @Test("A call's own coalescer replaces the API's, and the nearest one counts")
  func nearest() {
    let outer = RequestCoalescer()
    let api = TestAPI(baseURL: TestAPI.origin, transport: transport, coalescer: outer)
    _ = begin(api.get(endpoint: "a"))
    _ = begin(api.get(endpoint: "a").coalesced(in: coalescer))
    #expect(transport.requests.count == 2)
    _ = begin(api.get(endpoint: "a").coalesced(in: coalescer).coalesced(in: outer))
    #expect(transport.requests.count == 2)
    transport.answerAll()
  }

  @Test("A coalescer may stand after stages that decode")
  func behindStages() {
    let call = api.get(endpoint: "a").decode(type: [Int].self).coalesced(in: coalescer)
    let callers = [begin(call), begin(call)]
    #expect(transport.requests.count == 1)
    transport.answer(0, body: "[7]")
    #expect(callers.map(\.values) == [[[7]], [[7]]])
  }

  @Test("Responses in pieces are not shared")
  func pieces() {
    let call = api.events(endpoint: "a").coalesced(in: coalescer)
    let callers = [begin(call), begin(call)]
    #expect(transport.requests.count == 2)
    transport.answerAll()
    #expect(callers.allSatisfy { $0.isFinished })
  }

  @Test("Shared callers have the metrics of the one exchange")
  func metrics() {
    let callers = [get(), get()]
    transport.answer(0, metrics: ExchangeMetrics(httpVersion: "HTTP/2"))
    #expect(callers.map { $0.values.first?.metrics?.httpVersion } == ["HTTP/2", "HTTP/2"])
  }
}

extension TokenSession {
  /// A session with the token t0, which is not renewed.
  fileprivate static func held(_ scheduler: any Scheduler) -> TokenSession {
    TokenSession(
      grant: ClosureGrant { _ in Empty<TokenResponse, any Error>() },
      store: MemoryTokenStore(Credential(accessToken: "t0")), scheduler: scheduler)
  }
}
