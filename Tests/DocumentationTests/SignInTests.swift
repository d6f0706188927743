import Foundation
import RESTKit
import RESTKitSignIn
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Docs/SignIn.md has the library's text, and its examples run", .leakFree)
struct SignInTests {
  private static let metadata = #"""
    {"issuer": "https://id.example.com", "token_endpoint": "https://id.example.com/token",
    "authorization_endpoint": "https://id.example.com/authorize",
    "device_authorization_endpoint": "https://id.example.com/begin",
    "revocation_endpoint": "https://id.example.com/revoke"}
    """#

  private let examples = SignInExamples()
  private let store = MemoryTokenStore()
  private let transport = StubTransport(
    Self.stub(.get, "/.well-known/oauth-authorization-server", Self.metadata),
    Self.stub(
      .post, "/begin",
      #"{"device_code": "d", "user_code": "WDJB-MJHT", "expires_in": 600, "#
        + #""verification_uri": "https://id.example.com/device"}"#),
    Self.stub(.post, "/token", #"{"access_token": "valid", "refresh_token": "refresh-1"}"#),
    Self.stub(.post, "/revoke", ""), Self.stub(.post, "/login", #"{"access_token": "valid"}"#),
    Self.stub(.post, "/logout", ""))

  private static func stub(_ method: HTTPMethod, _ path: String, _ body: String) -> StubAPIResponse
  {
    StubAPIResponse(
      request: .init(method, urlString: "https://id.example.com\(path)"), statusCode: 200,
      result: .success(Data(body.utf8))
    ).always()
  }

  private func session(_ client: OAuthClient) -> TokenSession {
    TokenSession(grant: RefreshTokenGrant(client), store: store, scheduler: TestScheduler())
  }

  /// The value of a parameter of a URL.
  nonisolated private static func parameter(_ name: String, of url: URL) throws -> String {
    let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems
    return try #require(items?.first { $0.name == name }?.value)
  }

  @Test("A tool signs in with the system's browser")
  func tool() async throws {
    let client = try await examples.makeClient(transport: transport)
    try await examples.signInWithBrowser(to: session(client), client) { url in
      let redirectURI = try Self.parameter("redirect_uri", of: url)
      let state = try Self.parameter("state", of: url)
      let browser = BrowserAPI(baseURL: redirectURI)
      let query: QueryItems = ["code": "c", "state": state]
      #expect(try await browser.get(endpoint: "", query: query).value.statusCode == 200)
    }
    #expect(store.read()?.accessToken == "valid")
  }

  @Test("An app signs in with the callback from the system")
  func app() async throws {
    let client = try await examples.makeClient(transport: transport)
    try await examples.signInFromApp(to: session(client), client) { url in
      let state = try Self.parameter("state", of: url)
      return try #require(URL(string: "com.example.shop:/signed-in?code=c&state=\(state)"))
    }.value
    #expect(store.read()?.accessToken == "valid")
  }

  @Test("A device instructs the user, polls, and signs out again")
  func device() async throws {
    let client = try await examples.makeClient(transport: transport)
    let (scheduler, session) = (TestScheduler(), session(client))
    let texts = Lock<[String]>([])
    let subscriber = TestSubscriber<Void, any Error>()
    examples.signInDevice(to: session, client, scheduler: scheduler) { authorization in
      texts.withLock { $0.append("\(authorization)") }
    }
    .receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.isFinished)
    #expect(try texts.withLock { $0 } == [Guide(at: "Docs/SignIn.md").output("device")])
    #expect(store.read()?.refreshToken == "refresh-1")

    try await examples.signOut(of: session, client)
    #expect(store.read() == nil)
    #expect(transport.requests.last?.url?.path == "/revoke")
  }

  @Test("A key signs the client's assertion")
  func key() async throws {
    let server = try await AuthorizationServer.discover(
      issuer: "https://id.example.com", transport: transport
    ).value
    let client = examples.makeClient(
      at: server, sign: { _ in Data("s".utf8) }, transport: transport)
    _ = try await RefreshTokenGrant(client)
      .token(renewing: Credential(accessToken: "a", refreshToken: "r")).value
    let form = String(decoding: transport.requests.last?.httpBody ?? Data(), as: UTF8.self)
    #expect(form.contains("client_assertion="))
  }

  @Test("An app's own form signs in")
  func form() async throws {
    let client = try await examples.makeClient(transport: transport)
    let api = ShopAPI(baseURL: "https://id.example.com", transport: transport)
    let session = session(client)
    try await examples.signIn(to: session, with: api, name: "ada", password: "p").value
    #expect(session.account == "ada")
    try await examples.logOut(of: session, api).value
    #expect(session.account == nil)
    let request = try #require(transport.requests.last)
    #expect(request.url?.path == "/logout")
    #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer valid")
  }

  @Test("A login with JSON has the names of the refresh")
  func json() async throws {
    let answer = """
      {"access_token": "t", "expires_in_ms": 9000, "user_id": "ada", "device_id": "D"}
      """
    let transport = StubTransport(Self.stub(.post, "/login", answer))
    let session = examples.makeSession(transport: transport)
    try await examples.signIn(
      to: session, name: "ada", password: "p", transport: transport
    ).value
    #expect(session.account == "ada" && session.extras == ["device_id": "D"])
  }
}

private struct BrowserAPI: RESTAPI {
  let baseURL: String
}
