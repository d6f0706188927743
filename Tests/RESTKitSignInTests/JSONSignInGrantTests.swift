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

@Suite("A sign-in with JSON", .leakFree)
struct JSONSignInGrantTests {
  private static let origin = "https://id.example.com"
  private let date = Date(timeIntervalSince1970: 1_000)
  private let body = RequestBody.json(["name": "ada", "password": "p"])

  private func stub(
    _ method: HTTPMethod = .post, _ path: String = "auth/login", answer: String,
    status: Int = 200, headers: HTTPHeaders = [:]
  ) -> StubTransport {
    StubTransport(
      StubAPIResponse(
        request: .init(method, urlString: "\(Self.origin)/\(path)"), statusCode: status,
        headers: headers, result: .json(answer)))
  }

  private func credential(of grant: JSONSignInGrant) async throws -> Credential {
    try await grant.credential(at: { [date] in date }).value
  }

  @Test(
    "The tokens of a sign-in may have either spelling, bare or under `result`",
    arguments: [
      #"{"accessToken": "a", "refreshToken": "r", "expiresIn": 60}"#,
      #"{"access_token": "a", "refresh_token": "r", "expires_in": "60"}"#,
      #"{"result": {"accessToken": "a", "refreshToken": "r", "expiresIn": 60}}"#,
    ])
  func spellings(answer: String) async throws {
    let stubs = stub(answer: answer)
    let grant = JSONSignInGrant(
      baseURL: Self.origin, body: body, account: "ada", transport: stubs)
    #expect(
      try await credential(of: grant)
        == Credential(
          accessToken: "a", refreshToken: "r", issuedAt: date,
          expiresAt: date.addingTimeInterval(60), account: "ada"))
    let request = try #require(stubs.requests.first)
    #expect(request.value(forHTTPHeaderField: "Accept") == "application/json")
    let sent = try JSONDecoder().decode([String: String].self, from: request.httpBody ?? Data())
    #expect(sent == ["name": "ada", "password": "p"])
  }

  @Test(
    "The names are those of the refresh, with the unit, the extras and the account",
    arguments: [
      (#""user_id": "@ada:example.com""#, "@ada:example.com"), (#""user_id": 7"#, "7"),
      (#""user_id": null"#, "known"), (#""other": 1"#, "known"),
    ])
  func names(member: String, account: String) async throws {
    let names = JSONRefreshGrant.Names(
      accessToken: "jwt", lifetime: "expires_in_ms", envelope: "data", account: "user_id",
      extras: ["device_id"])
    let stubs = stub(
      .put, "session",
      answer: """
        {"data": {"jwt": "a", "expires_in_ms": 300000, "device_id": "D", \(member)}}
        """)
    let grant = JSONSignInGrant(
      baseURL: Self.origin, method: .put, endpoint: "session", body: body, names: names,
      account: "known", transport: stubs)
    let credential = try await credential(of: grant)
    #expect(credential.expiresAt == date.addingTimeInterval(300))
    #expect(credential.extras == ["device_id": "D"])
    #expect(credential.account == account)
    #expect(credential.refreshToken == nil)
  }

  @Test("A lifetime that makes no sense is not believed, and the log says why")
  func doubt() async throws {
    let transport = ObservedTransport(stub(answer: #"{"accessToken": "a", "ttl_ms": 1}"#))
    let logs = TestSubscriber<CallLog, Never>()
    transport.callLogs.subscribe(logs)
    let grant = JSONSignInGrant(
      baseURL: Self.origin, body: body, names: JSONRefreshGrant.Names(lifetime: "ttl_ms"),
      transport: transport)
    #expect(try await credential(of: grant).expiresAt == nil)
    logs.cancel()
    let lines = logs.values.flatMap { $0.events.map(\.description) }
    #expect(lines.contains { $0.contains("a token without its lifetime") })
  }

  private struct Login: Endpoint {
    typealias Response = Void
    let method = HTTPMethod.post
    let path: ResourcePath = "login"
    let headers: HTTPHeaders = ["X-Kind": "form"]
    let body = RequestBody.form(["name": "ada"])
    let retry = RetryPolicy(methods: [.post], scheduler: .immediate)
  }

  @Test("An endpoint signs in with all that it says, and without the session's token")
  func endpoint() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.post, urlString: "\(Self.origin)/login"), statusCode: 503),
      StubAPIResponse(
        request: .init(.post, urlString: "\(Self.origin)/login"),
        result: .json(#"{"access_token": "new"}"#)))
    let store = MemoryTokenStore(Credential(accessToken: "old", refreshToken: "r"))
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: Self.origin, transport: stubs), store: store,
      scheduler: TestScheduler(), date: { [date] in date })
    let api = TestAPI(baseURL: Self.origin, transport: stubs, session: session)
    try await session.signIn(with: JSONSignInGrant(Login(), of: api, account: "ada")).value
    #expect(session.account == "ada")
    #expect(store.read()?.accessToken == "new")
    #expect(stubs.requests.count == 2)
    for request in stubs.requests {
      #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
      #expect(request.value(forHTTPHeaderField: "X-Kind") == "form")
    }
  }

  @Test(
    "A response without a token is the error that it names, and signs nobody in",
    arguments: [
      (403, #"{"errcode": "M_FORBIDDEN"}"#, .status(403)), (200, #"{"jwt": "x"}"#, .decoding),
      (200, #"{"error": "invalid_grant"}"#, .status(200)), (200, "<html>", .malformedResponse),
    ] as [(Int, String, RESTError.Kind)])
  func refused(status: Int, answer: String, kind: RESTError.Kind) async throws {
    let grant = JSONSignInGrant(
      baseURL: Self.origin, body: body, transport: stub(answer: answer, status: status))
    let error = try await restError(of: grant.credential(at: { [date] in date }))
    #expect(error.kind == kind)
  }

  @Test("An empty access token signs nobody in")
  func empty() async throws {
    let grant = JSONSignInGrant(
      baseURL: Self.origin, body: body, transport: stub(answer: #"{"accessToken": " "}"#))
    await #expect(throws: RefreshError.emptyAccessToken) { try await credential(of: grant) }
  }

  @Test("A redirect fails, since it would pass the body on")
  func redirect() async throws {
    let stubs = stub(answer: "{}", status: 307, headers: ["Location": "/elsewhere"])
    let grant = JSONSignInGrant(baseURL: Self.origin, body: body, transport: stubs)
    let error = try await restError(of: grant.credential(at: { [date] in date }))
    #expect(error.kind == .redirect)
    #expect(stubs.requests.count == 1)
  }

  @Test("The request is made at the subscription, anew each time, and no text shows it")
  func cold() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.post, urlString: "\(Self.origin)/auth/login"),
        result: .json(#"{"accessToken": "a"}"#)
      ).always())
    let grant = JSONSignInGrant(
      baseURL: Self.origin, body: body, account: "ada", transport: stubs)
    let publisher = grant.credential(at: { [date] in date })
    #expect(stubs.requests.isEmpty)
    for _ in 1...2 { _ = try await publisher.value }
    #expect(stubs.requests.count == 2)
    var dumped = ""
    dump(grant, to: &dumped)
    #expect("\(grant)" == "JSONSignInGrant" && String(reflecting: grant) == "JSONSignInGrant")
    #expect(!dumped.contains("ada"))
  }
}
