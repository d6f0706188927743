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

@Suite("Authorization of endpoints")
struct EndpointAuthorizationTests {
  private struct Place: Endpoint {
    typealias Response = Void
    let path: ResourcePath
    var authorization = RequestAuthorization.session
  }

  private let renewal = StubAPIResponse(
    request: .init(.post, urlString: "https://api.example.com/auth/refresh"),
    result: .json(#"{"accessToken": "fresh"}"#))

  private func stub(_ path: String, status: Int = 200) -> StubAPIResponse {
    StubAPIResponse(
      request: .init(.get, urlString: "https://api.example.com/\(path)"), statusCode: status)
  }

  private func api(_ stubs: StubTransport) throws -> TestAPI {
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: "https://api.example.com", transport: stubs))
    try session.signIn(Credential(accessToken: "old", refreshToken: "once"))
    return TestAPI(baseURL: TestAPI.origin, transport: stubs, session: session)
  }

  private func authorizations(_ stubs: StubTransport) -> [String?] {
    stubs.requests.filter { $0.url?.path != "/auth/refresh" }
      .map { $0.value(forHTTPHeaderField: "Authorization") }
  }

  @Test("An endpoint carries the session's token by default, and its 401 causes a refresh")
  func needed() async throws {
    let stubs = StubTransport(stub("me", status: 401), renewal, stub("me"))
    try await api(stubs).send(Place(path: "me"))
    #expect(authorizations(stubs) == ["Bearer old", "Bearer fresh"])
  }

  @Test("An endpoint without authorization sends no token, and its 401 is the caller's")
  func notNeeded() async throws {
    let stubs = StubTransport(stub("news", status: 401))
    let news = Place(path: "news", authorization: .none)
    let error = try await restError(of: api(stubs).publisher(for: news))
    #expect(error.kind == .status(401))
    #expect(authorizations(stubs) == [nil])
  }

  @Test("A callback waits for the refresh, too")
  func callback() throws {
    let queue = TestScheduler()
    let stubs = StubTransport(stub("me", status: 401), renewal, stub("me"))
    let answers = Lock<[Result<Void, any Error>]>([])
    let call = try api(stubs).send(Place(path: "me"), on: queue) { answer in
      answers.withLock { $0.append(answer) }
    }
    queue.run()
    #expect(answers.withLock { $0.count } == 1)
    try answers.withLock { $0 }.first?.get()
    withExtendedLifetime(call) {}
  }

  @Test("Without a session no endpoint carries a token")
  func noSession() async throws {
    let stubs = StubTransport(stub("me"))
    try await TestAPI(baseURL: TestAPI.origin, transport: stubs, session: nil).send(
      Place(path: "me"))
    #expect(authorizations(stubs) == [nil])
  }
}
