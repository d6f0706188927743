import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import RESTKit

@Suite(
  "SEC-08: requests with a credential in the body are not redirected", .timeLimit(.minutes(10)))
struct GrantRedirectTests {
  /// A grant of one's own that is none of RESTKit's.
  private struct OwnGrant: TokenGrant {
    let api: TestAPI

    func token(renewing credential: Credential?) -> AnyPublisher<TokenResponse, GrantError> {
      api.post(endpoint: "auth/refresh", body: .data(Data((credential?.refreshToken ?? "").utf8)))
        .decode(type: TokenResponse.self)
        .mapError { GrantError($0) }
        .eraseToAnyPublisher()
    }
  }

  /// The grants that renew a token, each with where it asks.
  enum GrantKind: CaseIterable, Sendable {
    case json, form, closure, own

    func make(_ base: String, _ transport: any Transport) -> any TokenGrant {
      let own = OwnGrant(api: TestAPI(baseURL: base, transport: transport))
      return switch self {
      case .json: JSONRefreshGrant(baseURL: base, transport: transport)
      case .form:
        RefreshTokenGrant(
          OAuthClient(
            tokenEndpoint: base + "/auth/refresh", id: "app",
            authentication: .form(secret: "canary-secret"), transport: transport))
      case .closure: ClosureGrant { own.token(renewing: $0).mapError { $0 as any Error } }
      case .own: own
      }
    }
  }

  private static let credential = Credential(
    accessToken: "canary-access", refreshToken: "canary-refresh")

  private func redirect(_ status: Int, to location: String) throws -> MockServer {
    try MockServer { request in
      request.path == "/auth/refresh"
        ? MockResponse(status: status, headers: [("Location", location)])
        : MockResponse(status: 401)
    }
  }

  @Test(
    "A redirect of a token request is refused, and the session remains",
    arguments: TransportKind.allCases, GrantKind.allCases)
  func otherOrigin(kind: TransportKind, grant: GrantKind) async throws {
    let other = try MockServer { _ in .json(#"{"accessToken": "new", "access_token": "new"}"#) }
    defer { other.stop() }
    for status in [301, 302, 303, 307, 308] {
      let server = try redirect(status, to: other.baseURL + "/steal?x=canary")
      defer { server.stop() }
      let transport = try kind.make()
      let session = TokenSession(
        grant: grant.make(server.baseURL, transport), store: MemoryTokenStore(Self.credential))
      let api = TestAPI(baseURL: server.baseURL, transport: transport)
      let error = try await #require(throws: TokenSessionError.self) {
        try await session.authorize(api.get(endpoint: "a")).value
      }
      let cause = try #require(error.cause as? RESTError)
      #expect(cause.kind == .redirect)
      #expect(cause.response?.statusCode == status)
      #expect(
        cause.description == """
          POST \(server.baseURL)/auth/refresh: the server redirected to \(other.baseURL)/steal, \
          and RESTKit does not pass on the credential in the request. Send the request directly to \
          that URL if you trust it.
          """)
      for text in allTexts(of: error) + allTexts(of: cause) { #expect(!text.contains("canary")) }
      #expect(try session.store.read() == Self.credential)
    }
    #expect(other.connectionCount == 0)
  }

  @Test(
    "A redirect of a token request is refused within its origin, too",
    arguments: [GrantKind.json, .form, .closure])
  func sameOrigin(grant: GrantKind) async throws {
    let server = try redirect(307, to: "/elsewhere")
    defer { server.stop() }
    let failure = try await #require(throws: GrantError.self) {
      try await grant.make(server.baseURL, URLSessionTransport())
        .token(renewing: Self.credential).value
    }
    #expect((failure.cause as? RESTError)?.kind == .redirect)
    #expect(server.requests.count == 1)
  }

  @Test("A refresh chained to a call stays at its origin", arguments: TransportKind.allCases)
  func chained(kind: TransportKind) async throws {
    let other = try MockServer { _ in .text("never") }
    defer { other.stop() }
    let location = other.baseURL
    let server = try MockServer { request in
      switch request.path {
      case "/away": MockResponse(status: 307, headers: [("Location", location)])
      case "/moved": MockResponse(status: 307, headers: [("Location", "/here")])
      case "/here": .text(String(decoding: request.body, as: UTF8.self))
      default: MockResponse(status: 401)
      }
    }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    func call(refreshingAt endpoint: String) -> AnyPublisher<RESTResponse, any Error> {
      api.get(endpoint: "a").retryOnceOnUnauthorizedResponse(
        chainedRequest: api.post(endpoint: endpoint, body: .data(Data("canary".utf8))))
    }
    let away = try await restError(of: call(refreshingAt: "away"))
    #expect(away.kind == .redirect)
    #expect(other.connectionCount == 0)
    let moved = try await restError(of: call(refreshingAt: "moved"))
    #expect(moved.kind == .status(401))
    #expect(server.requests.map(\.path) == ["/a", "/away", "/a", "/moved", "/here", "/a"])
  }
}
