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

@Suite("A verb carries the token of its API's session, like an endpoint", .leakFree)
struct VerbAuthorizationTests {
  private static let base = "https://api.example.com"

  /// The ways to ask, each with the status that it ends with.
  enum Form: CaseIterable {
    case get, post, send, events, upload, download

    fileprivate func status(
      _ api: TestAPI, _ authorization: RequestAuthorization
    ) -> AnyPublisher<Int?, any Error> {
      switch self {
      case .get:
        api.get(endpoint: "me", authorization: authorization).map { $0.statusCode }
          .eraseToAnyPublisher()
      case .post:
        api.post(endpoint: "me", body: .json([1]), authorization: authorization)
          .map { $0.statusCode }.eraseToAnyPublisher()
      case .send:
        api.request(.delete, endpoint: "me", authorization: authorization).map { $0.statusCode }
          .eraseToAnyPublisher()
      case .events:
        api.events(endpoint: "me", authorization: authorization)
          .compactMap { event in if case .head(let head) = event { head.statusCode } else { nil } }
          .eraseToAnyPublisher()
      case .upload:
        api.upload(endpoint: "me", body: .json([1]), authorization: authorization)
          .compactMap { $0.response?.statusCode }.eraseToAnyPublisher()
      case .download:
        api.download(endpoint: "me", to: Self.file(), authorization: authorization)
          .compactMap { event in
            if case .finished(let head) = event { head.statusCode } else { nil }
          }
          .eraseToAnyPublisher()
      }
    }

    private static func file() -> URL {
      FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    }

    var method: HTTPMethod {
      switch self {
      case .get, .events, .download: .get
      case .post, .upload: .post
      case .send: .delete
      }
    }
  }

  private func stub(_ method: HTTPMethod = .get, status: Int = 200) -> StubAPIResponse {
    StubAPIResponse(request: .init(method, urlString: Self.base + "/me"), statusCode: status)
  }

  private let renewal = StubAPIResponse(
    request: .init(.post, urlString: base + "/auth/refresh"),
    result: .json(#"{"accessToken": "fresh"}"#))

  private func session(_ stubs: StubTransport, token: String = "old") throws -> TokenSession {
    let session = TokenSession(grant: JSONRefreshGrant(baseURL: Self.base, transport: stubs))
    try session.signIn(Credential(accessToken: token, refreshToken: "once"))
    return session
  }

  private func authorizations(_ stubs: StubTransport) -> [String?] {
    stubs.requests.filter { $0.url?.path != "/auth/refresh" }
      .map { $0.value(forHTTPHeaderField: "Authorization") }
  }

  @Test("A verb's 401 causes a refresh, in every form of the request", arguments: Form.allCases)
  func refreshed(way: Form) async throws {
    let stubs = StubTransport(stub(way.method, status: 401), renewal, stub(way.method))
    let api = TestAPI(
      baseURL: VerbAuthorizationTests.base, transport: stubs, session: try session(stubs))
    #expect(try await way.status(api, .session).value == 200)
    #expect(authorizations(stubs) == ["Bearer old", "Bearer fresh"])
  }

  @Test("A verb can opt out of the token", arguments: Form.allCases)
  func without(way: Form) async throws {
    let stubs = StubTransport(stub(way.method))
    let api = TestAPI(
      baseURL: VerbAuthorizationTests.base, transport: stubs, session: try session(stubs))
    #expect(try await way.status(api, .none).value == 200)
    #expect(authorizations(stubs) == [nil])
  }

  @Test("A verb without the token gets its 401 unchanged")
  func refusedWithout() async throws {
    let stubs = StubTransport(stub(status: 401))
    let api = TestAPI(
      baseURL: VerbAuthorizationTests.base, transport: stubs, session: try session(stubs))
    #expect(try await api.get(endpoint: "me", authorization: .none).value.statusCode == 401)
  }

  @Test("A call that the session authorizes twice has one refresh and two requests")
  func once() async throws {
    let stubs = StubTransport(stub(status: 401), renewal, stub(status: 401))
    let session = try session(stubs)
    let api = TestAPI(baseURL: VerbAuthorizationTests.base, transport: stubs, session: session)
    let error = try await restError(of: session.authorize(api.get(endpoint: "me")))
    #expect(error.kind == .status(401))
    #expect(stubs.requests.map { $0.url?.path } == ["/me", "/auth/refresh", "/me"])
  }

  @Test(
    "A URL goes on after a base URL whose bytes it begins with, and then a slash",
    arguments: [
      ("https://a.example/v1/me", "https://a.example/v1", true),
      ("https://a.example/v1/me", "https://a.example/v1/", true),
      ("https://a.example/v10", "https://a.example/v1", false),
      ("https://a.example.net/me", "https://a.example", false),
      ("https://a.example", "https://a.example/v1", false),
    ])
  func continuation(url: String, base: String, goesOn: Bool) {
    #expect(Origin.goesOn(url, after: base) == goesOn)
  }

  @Test("A modifier that names an origin as long as the API's takes no token with it")
  func otherOrigin() async throws {
    let target = "https://api.example.net/me"
    let stubs = StubTransport(StubAPIResponse(request: StubRequest(.get, urlString: target)))
    let api = TestAPI(
      baseURL: VerbAuthorizationTests.base, transport: stubs, session: try session(stubs))
    let url = try #require(URL(string: target))
    _ = try await api.get(endpoint: "me") { request in
      var request = request
      request.url = url
      return request
    }.value
    #expect(authorizations(stubs) == [nil])
  }

  @Test("Another session that authorizes a call replaces the API's")
  func other() async throws {
    let stubs = StubTransport(stub())
    let api = TestAPI(
      baseURL: VerbAuthorizationTests.base, transport: stubs, session: try session(stubs))
    let admin = try session(stubs, token: "admin")
    _ = try await admin.authorize(api.get(endpoint: "me")).value
    #expect(authorizations(stubs) == ["Bearer admin"])
  }

  @Test("The API's retry policy repeats a request with the session's token")
  func retried() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(stub(status: 503), stub())
    let session = try session(stubs)
    let api = TestAPI(
      baseURL: VerbAuthorizationTests.base, transport: stubs, session: session,
      retry: .test(scheduler))
    let call = TestSubscriber<RESTResponse, any Error>()
    api.get(endpoint: "me").receive(subscriber: call)
    scheduler.run()
    #expect(call.values.map(\.statusCode) == [200])
    #expect(authorizations(stubs) == ["Bearer old", "Bearer old"])
  }

  @Test("A signed-out session sends nothing, and the error says so")
  func signedOut() async throws {
    let stubs = StubTransport()
    let grant = JSONRefreshGrant(baseURL: Self.base, transport: stubs)
    let api = TestAPI(
      baseURL: VerbAuthorizationTests.base, transport: stubs, session: TokenSession(grant: grant))
    await #expect(throws: TokenSessionError.self) { try await api.get(endpoint: "me").value }
    #expect(stubs.requests.isEmpty)
  }

  @Test("A refresh through a verb of the same API carries no token of the session")
  func ownRefresh() async throws {
    let stubs = StubTransport(
      stub(status: 401),
      StubAPIResponse(
        request: .init(.post, urlString: Self.base + "/token"),
        result: .json(#"{"access_token": "fresh", "token_type": "Bearer"}"#)),
      stub())
    let kept = Lock<TestAPI?>(nil)
    let grant = ClosureGrant { credential in
      kept.withLock { $0 }.publisher.setFailureType(to: (any Error).self)
        .flatMap { api in
          api.post(endpoint: "token", body: .form([])).decode(type: TokenResponse.self)
        }
        .eraseToAnyPublisher()
    }
    let session = TokenSession(grant: grant)
    try session.signIn(Credential(accessToken: "old", refreshToken: "once"))
    let api = TestAPI(baseURL: VerbAuthorizationTests.base, transport: stubs, session: session)
    kept.withLock { $0 = api }
    #expect(try await api.get(endpoint: "me").value.statusCode == 200)
    #expect(authorizations(stubs) == ["Bearer old", nil, "Bearer fresh"])
    kept.withLock { $0 = nil }
  }
}
