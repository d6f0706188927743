import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Several servers of one API, tried in turn", .leakFree)
struct FailoverTransportTests {
  private typealias Answer = ScriptedTransport.ServerResponse

  private static let servers = [
    "https://a.example.com/v1", "https://b.example.com/v1", "https://c.example.com:8443",
  ]

  /// The answers of the servers, by the first letter of their hosts.
  private final class Script: Sendable {
    private let answers: Lock<[String: Answer]>

    init(_ answers: [String: Answer]) { self.answers = Lock(answers) }

    func set(_ host: String, _ answer: Answer?) { answers.withLock { $0[host] = answer } }

    func answer(to request: URLRequest) -> Answer {
      let host = String(request.url?.host?.prefix(1) ?? "")
      return answers.withLock { $0[host] } ?? .status(200, body: Data(host.utf8))
    }
  }

  /// Three servers in virtual time, with an answer of each host.
  private final class Bench: Sendable {
    let scheduler = TestScheduler()
    private let script: Script
    let inner: ScriptedTransport
    let transport: FailoverTransport
    let api: TestAPI

    init(
      _ answers: [String: Answer], order: FailoverTransport.Order = .lastAnswered,
      mostServers: Int? = nil, answerTimeout: Duration? = nil, taking duration: Duration = .zero
    ) throws {
      let script = Script(answers)
      self.script = script
      inner = ScriptedTransport(on: scheduler, taking: duration) { script.answer(to: $1) }
      transport = try FailoverTransport(
        inner, servers: FailoverTransportTests.servers, order: order, mostServers: mostServers,
        answerTimeout: answerTimeout, scheduler: scheduler)
      api = TestAPI(baseURL: FailoverTransportTests.servers[0], transport: transport)
    }

    /// The hosts that were asked, in order.
    var hosts: String { inner.requests.map { String($0.url?.host?.prefix(1) ?? "") }.joined() }

    func set(_ host: String, _ answer: Answer?) { script.set(host, answer) }

    @discardableResult
    func call(
      _ method: HTTPMethod = .get, query: QueryItems = [:]
    ) -> TestSubscriber<RESTResponse, any Error> {
      let subscriber = TestSubscriber<RESTResponse, any Error>()
      api.request(method, endpoint: "orders", query: query).receive(subscriber: subscriber)
      scheduler.run()
      return subscriber
    }
  }

  private static let refused = Answer.fault(.connectionRefused, mayHaveBeenProcessed: false)

  @Test("A dead server is passed over, and the response names the API's own server")
  func dead() throws {
    let bench = try Bench(["a": Self.refused, "b": .status(503)])
    let call = bench.call(query: ["page": 2])
    #expect(call.values.map(\.data) == [Data("c".utf8)])
    #expect(
      bench.inner.requests.map(\.url?.absoluteString) == [
        "https://a.example.com/v1/orders?page=2", "https://b.example.com/v1/orders?page=2",
        "https://c.example.com:8443/orders?page=2",
      ])
    #expect(call.values.first?.head.url.absoluteString == "https://a.example.com/v1/orders?page=2")
    #expect("\(try #require(call.values.first?.request))".contains("a.example.com"))
  }

  @Test("The server that answered last is asked first, until it fails")
  func lastAnswered() throws {
    let bench = try Bench(["a": Self.refused])
    for _ in 0..<2 { bench.call() }
    bench.set("a", nil)
    bench.call()
    #expect(bench.hosts == "abbb")
    bench.set("b", Self.refused)
    bench.call()
    #expect(bench.hosts == "abbbbc")
  }

  @Test("Listed servers are asked in their order, a failed one last during its pause")
  func listed() throws {
    let bench = try Bench(["a": Self.refused], order: .listed)
    for _ in 0..<2 { bench.call() }
    #expect(bench.hosts == "abb")
    bench.set("a", nil)
    bench.scheduler.advance(by: .milliseconds(9_999))
    bench.call()
    #expect(bench.hosts == "abbb")
    bench.scheduler.advance(by: .milliseconds(1))
    bench.call()
    #expect(bench.hosts == "abbba")
  }

  @Test("Where all have failed, all are asked again, and the last failure is delivered")
  func all() throws {
    let bench = try Bench(["a": Self.refused, "b": Self.refused, "c": .status(502)])
    #expect(bench.call().values.map(\.statusCode) == [502])
    bench.set("c", Self.refused)
    let error = try #require(bench.call().failure as? RESTError)
    #expect(error.kind == .transport(.connectionRefused))
    #expect(bench.hosts == "abcabc")
  }

  @Test("Requests go round in turn")
  func rotating() throws {
    let bench = try Bench([:], order: .rotating)
    for _ in 0..<4 { bench.call() }
    #expect(bench.hosts == "abca")
    bench.set("b", Self.refused)
    bench.call()
    bench.call()
    bench.call()
    bench.call()
    // b fails once, and is then passed over.
    #expect(bench.hosts == "abcabcca" + "c")
  }

  @Test("A limit on the servers of a request holds", arguments: [(0, "a"), (2, "ab"), (9, "abc")])
  func most(count: Int, hosts: String) throws {
    let bench = try Bench(
      ["a": Self.refused, "b": Self.refused, "c": Self.refused], mostServers: count)
    bench.call()
    #expect(bench.hosts == hosts)
  }

  @Test(
    "A POST goes on only if the server has certainly not processed it",
    arguments: [
      (.fault(.connectionReset), "a"), (.status(503), "a"), (Self.refused, "ab"),
      (.fault(.connectFailed, mayHaveBeenProcessed: false), "ab"),
    ] as [(ScriptedTransport.ServerResponse, String)])
  func post(answer: ScriptedTransport.ServerResponse, hosts: String) throws {
    let bench = try Bench(["a": answer])
    bench.call(.post)
    #expect(bench.hosts == hosts)
  }

  @Test(
    "What another server would answer alike is delivered",
    arguments: [
      .status(404), .status(500), .status(401), .fault(.tlsFailed(.untrustedIssuer)),
      .fault(.limitExceeded(.bodyBytes)), .failure(TestFailure()),
    ] as [ScriptedTransport.ServerResponse])
  func final(answer: ScriptedTransport.ServerResponse) throws {
    let bench = try Bench(["a": answer])
    bench.call()
    #expect(bench.hosts == "a")
  }

  @Test("A server that does not answer is given up after its time, and one request has one limit")
  func silent() throws {
    let bench = try Bench(["a": .silence, "b": .silence], answerTimeout: .seconds(2))
    let call = bench.call()
    #expect(call.values.map(\.data) == [Data("c".utf8)])
    #expect(bench.inner.times == [.zero, .seconds(2), .seconds(4)])
    #expect(bench.inner.cancelCount == 2)
    #expect(bench.inner.requests.map(\.timeoutInterval) == [60, 58, 56])
  }

  @Test("Where the request's own time is over, no further server is asked")
  func noTime() throws {
    let bench = try Bench(["a": .fault(.timedOut)], taking: .seconds(60))
    let error = try #require(bench.call().failure as? RESTError)
    #expect(error.kind == .transport(.timedOut))
    #expect(bench.hosts == "a")
  }

  @Test("The failure of a server that is silent names the limit")
  func silentAlone() throws {
    let bench = try Bench(["a": .silence], mostServers: 1, answerTimeout: .seconds(2))
    let error = try #require(bench.call().failure as? RESTError)
    #expect(error.kind == .transport(.timedOut))
    #expect("\(error)".contains("answerTimeout"))
  }

  @Test(
    "A redirect among the servers stays in the API, and keeps the token",
    arguments: [
      ("a", "https://c.example.com:8443/new?x=1"), ("c", "/new?x=1"), ("b", "new?x=1"),
      ("a", "/v1/new?x=1"),
    ])
  func redirect(server: String, location: String) throws {
    let scheduler = TestScheduler()
    let inner = ScriptedTransport(on: scheduler) { _, request in
      guard request.url?.path.hasSuffix("/old") == true else { return .status(200) }
      return request.url?.host?.hasPrefix(server) == true
        ? .status(307, ["Location": location]) : Self.refused
    }
    let transport = try FailoverTransport(inner, servers: Self.servers, scheduler: scheduler)
    let session = TokenSession(
      grant: ClosureGrant { _ in Fail(error: TestFailure()) },
      store: MemoryTokenStore(Credential(accessToken: "t")), scheduler: scheduler)
    let call = TestSubscriber<RESTResponse, any Error>()
    session.authorize(
      TestAPI(baseURL: Self.servers[0], transport: transport).get(endpoint: "old")
    ).receive(subscriber: call)
    scheduler.run()
    #expect(call.values.map(\.statusCode) == [200])
    #expect(inner.values(of: "Authorization").allSatisfy { $0 == "Bearer t" })
    let base = ["a": Self.servers[0], "b": Self.servers[1], "c": Self.servers[2]][server]
    #expect(inner.requests.last?.url?.absoluteString == "\(base ?? "")/new?x=1")
  }

  @Test(
    "A request to another place passes unchanged",
    arguments: [
      "https://cdn.example.com/a", "https://a.example.com/v10/a", "https://a.example.com",
    ])
  func elsewhere(url: String) throws {
    let bench = try Bench([:])
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = "GET"
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    bench.transport.response(for: request).receive(subscriber: subscriber)
    bench.scheduler.run()
    #expect(bench.inner.requests.map(\.url?.absoluteString) == [url])
  }

  @Test("Servers that are none are told, with the place and the remedy")
  func invalid() throws {
    for (servers, text) in [
      ([], "servers is empty"), (["https://a", "ftp://b"], "servers[1]"),
      (["https://a/v1", "https://b", "https://A/v1/"], "servers[2] is listed twice"),
    ] {
      let error = try #require(throws: TransportError.self) {
        try FailoverTransport(.shared, servers: servers)
      }
      #expect(error.kind == .invalidOptions)
      #expect(error.detail.contains(text), "\(error.detail)")
    }
  }

  @Test("It shares what the transport behind it shares, but not with another choice of servers")
  func identity() throws {
    let inner = StubTransport()
    let one = try FailoverTransport(inner, servers: ["https://a", "https://b"])
    let same = try FailoverTransport(inner, servers: ["https://a/", "https://b"])
    let other = try FailoverTransport(inner, servers: ["https://a", "https://c"])
    #expect(one.identity == same.identity)
    #expect(one.identity != other.identity)
    #expect(one.identity != inner.identity)
  }
}
