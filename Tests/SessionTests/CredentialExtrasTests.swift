import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("What a credential keeps besides its tokens", .leakFree)
struct CredentialExtrasTests {
  private let scheduler = TestScheduler()
  private let extras: [String: JSONValue] = ["device_id": "HIDDEN", "shard": 7]

  private func credential() -> Credential {
    Credential(accessToken: "t0", refreshToken: "r0", account: "rex", extras: extras)
  }

  private func answer(_ body: String) -> ScriptedTransport {
    ScriptedTransport(.status(200, body: Data(body.utf8)), on: scheduler)
  }

  private func given(_ grant: some TokenGrant) -> TokenResponse? {
    let subscriber = TestSubscriber<TokenResponse, GrantError>()
    grant.token(renewing: credential()).subscribe(subscriber)
    return subscriber.values.first
  }

  @Test("The extras are encoded and decoded, and no text shows them")
  func coding() throws {
    let data = try JSONEncoder().encode(credential())
    #expect(try JSONDecoder().decode(Credential.self, from: data) == credential())
    var dumped = ""
    dump(credential(), to: &dumped)
    dump(TokenResponse(accessToken: "t", extras: extras), to: &dumped)
    for text in ["\(credential())", String(reflecting: credential()), dumped] {
      #expect(!text.contains("HIDDEN"))
    }
  }

  @Test("A credential without extras is written as before there were any, and such a text is read")
  func compatible() throws {
    let old = Data(#"{"accessToken": "t", "refreshToken": "r", "account": "rex"}"#.utf8)
    let read = try JSONDecoder().decode(Credential.self, from: old)
    #expect(read == Credential(accessToken: "t", refreshToken: "r", account: "rex"))
    let written = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(read))
    #expect(written == ["accessToken": "t", "refreshToken": "r", "account": "rex"])
    let null = Data(#"{"accessToken": "t", "extras": null}"#.utf8)
    #expect(try JSONDecoder().decode(Credential.self, from: null).extras.isEmpty)
  }

  @Test("The store in a file keeps them, and reads a file of an older version")
  func file() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("private/token")
    let store = FileTokenStore(file: file)
    try store.write(credential())
    #expect(try FileTokenStore(file: file).read() == credential())
    var newer = credential()
    newer.extras["device_id"] = "B"
    #expect(try store.replace(credential(), with: newer))
    #expect(try FileTokenStore(file: file).read()?.extras["device_id"] == "B")
    try store.write(Credential(accessToken: "t"))
    #expect(try !String(contentsOf: file, encoding: .utf8).contains("extras"))
    #expect(try FileTokenStore(file: file).read() == Credential(accessToken: "t"))
  }

  @Test("A grant takes the named members of the response, of any type, and no others")
  func grants() throws {
    let body = """
      {"access_token": "t1", "device_id": "A", "user": {"id": 5}, "none": null, "other": 1}
      """
    let expected: [String: JSONValue] = ["device_id": "A", "user": ["id": 5]]
    let names = ["device_id", "user", "none", "missing"]
    let json = JSONRefreshGrant(
      baseURL: "https://id.example.com", names: JSONRefreshGrant.Names(extras: names),
      transport: answer(body))
    #expect(given(json)?.extras == expected)
    let client = OAuthClient(
      tokenEndpoint: "https://id.example.com/token", id: "shop", authentication: .none,
      extras: names, transport: answer(body))
    #expect(given(RefreshTokenGrant(client))?.extras == expected)
    let plain = OAuthClient(
      tokenEndpoint: "https://id.example.com/token", id: "shop", authentication: .none,
      transport: answer(body))
    #expect(given(RefreshTokenGrant(plain))?.extras == [:])
    let response = try #require(given(json))
    #expect(Credential(response, issuedAt: Date(timeIntervalSince1970: 0)).extras == expected)
  }

  private func session(_ store: MemoryTokenStore, _ body: String) -> TokenSession {
    TokenSession(
      grant: JSONRefreshGrant(
        baseURL: "https://id.example.com",
        names: JSONRefreshGrant.Names(extras: ["shard", "new"]), transport: answer(body)),
      store: store, scheduler: scheduler)
  }

  @Test("A refresh keeps the extras, and replaces those that its response has")
  func refresh() throws {
    let store = MemoryTokenStore(credential())
    let session = session(store, #"{"access_token": "t1", "shard": 8, "new": true}"#)
    let transport = ScriptedTransport(.status(401), .status(200), on: scheduler)
    let call = TestSubscriber<RESTResponse, any Error>()
    TestAPI(transport: transport, session: session).get(endpoint: "a").subscribe(call)
    scheduler.run()
    #expect(call.values.map(\.statusCode) == [200])
    let kept = try #require(store.read())
    #expect(kept.accessToken == "t1")
    #expect(kept.extras == ["device_id": "HIDDEN", "shard": 8, "new": true])
  }

  @Test("A credential that replaces another keeps its extras, unless it has its own")
  func replaced() throws {
    let store = MemoryTokenStore(credential())
    let session = session(store, "{}")
    _ = session.state.sink { _ in }
    scheduler.run()
    try session.replaceCredential(with: Credential(accessToken: "t2"))
    scheduler.run()
    #expect(store.read()?.extras == extras)
    try session.replaceCredential(with: Credential(accessToken: "t3", extras: ["shard": 9]))
    scheduler.run()
    #expect(store.read()?.extras == ["shard": 9])
  }

  @Test("modifyRequest reads them from the credential of the user, before and after a refresh")
  func modifier() async throws {
    let store = MemoryTokenStore(credential())
    let session = session(store, #"{"access_token": "t1", "shard": 8}"#)
    let transport = ScriptedTransport(.status(401), .status(200), on: scheduler)
    let api = TestAPI(transport: transport, session: session)
    _ = try await api.get(endpoint: "a").modifyRequest { request, credential in
      let shard = credential?.extras["shard"]?.integer.map { "\($0)" }
      return request.settingHeader("X-Shard", to: shard ?? "none")
    }.value
    #expect(transport.values(of: "X-Shard") == ["7", "8"])
    #expect(transport.values(of: "Authorization") == ["Bearer t0", "Bearer t1"])
  }

  @Test("Without a session, and where the request goes without its token, there is no credential")
  func noCredential() async throws {
    let transport = ScriptedTransport(.status(200), on: scheduler)
    let session = session(MemoryTokenStore(credential()), "{}")
    let calls = [
      TestAPI(transport: transport).get(endpoint: "a"),
      TestAPI(transport: transport, session: session).get(endpoint: "a", authorization: .none),
    ]
    for call in calls {
      _ = try await call.modifyRequest { request, credential in
        request.settingHeader("X-Known", to: credential == nil ? "no" : "yes")
      }.value
    }
    #expect(transport.values(of: "X-Known") == ["no", "no"])
  }

  @Test("A closure of the request alone is still one")
  func plainModifier() async throws {
    let transport = ScriptedTransport(.status(200), on: scheduler)
    _ = try await TestAPI(transport: transport).get(endpoint: "a")
      .modifyRequest { $0.settingHeader("A", to: "1") }
      .modifyRequest { request in request.settingHeader("B", to: "2") }
      .value
    #expect(transport.values(of: "A") == ["1"])
    #expect(transport.values(of: "B") == ["2"])
  }
}
