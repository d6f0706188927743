import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("A refresh with JSON", .leakFree)
struct JSONRefreshGrantTests {
  private static let origin = "https://id.example.com"
  private let credential = Credential(accessToken: "old", refreshToken: "r1")

  private func stub(
    _ method: HTTPMethod = .post, _ path: String = "auth/refresh", body: String, answer: String,
    status: Int = 200
  ) -> StubTransport {
    StubTransport(
      StubAPIResponse(
        request: .init(method, urlString: "\(Self.origin)/\(path)").jsonBody(body),
        statusCode: status, result: .json(answer)))
  }

  @Test(
    "The response may have either spelling, bare or under `result`",
    arguments: [
      #"{"accessToken": "new", "refreshToken": "r2", "expiresIn": 60}"#,
      #"{"access_token": "new", "refresh_token": "r2", "expires_in": 60}"#,
      #"{"result": {"accessToken": "new", "refreshToken": "r2", "expiresIn": "60"}}"#,
      #"{"result": {"access_token": "new", "refresh_token": "r2", "expires_in": 60}}"#,
    ])
  func spellings(answer: String) async throws {
    let stubs = stub(body: #"{"refreshToken": "r1"}"#, answer: answer)
    let token = try await JSONRefreshGrant(baseURL: Self.origin, transport: stubs)
      .token(renewing: credential).value
    #expect(
      token == TokenResponse(accessToken: "new", refreshToken: "r2", lifetime: .seconds(60)))
    try stubs.verify()
  }

  @Test(
    "A token may be a number, and a scope an array",
    arguments: [
      (#"{"access_token": 5, "refresh_token": -7, "scope": ["a", "b"]}"#, "5", "-7", "a b"),
      (#"{"accessToken": 18446744073709551615, "scope": []}"#, "18446744073709551615", nil, ""),
      (#"{"accessToken": "x", "refreshToken": "9", "scope": "a"}"#, "x", "9", "a"),
    ] as [(String, String, String?, String)])
  func numbers(answer: String, access: String, refresh: String?, scope: String) throws {
    let token = try JSONDecoder().decode(TokenResponse.self, from: Data(answer.utf8))
    #expect(token == TokenResponse(accessToken: access, refreshToken: refresh, scope: scope))
  }

  @Test(
    "No other JSON is a token or a scope",
    arguments: [
      #"{"accessToken": 5.5}"#, #"{"accessToken": true}"#, #"{"accessToken": ["a"]}"#,
      #"{"accessToken": "a", "refreshToken": {}}"#, #"{"accessToken": "a", "scope": 5}"#,
      #"{"accessToken": "a", "scope": [5]}"#,
    ])
  func noToken(answer: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(TokenResponse.self, from: Data(answer.utf8))
    }
  }

  @Test("A null in one spelling hides no value in the other one")
  func nullSpellings() async throws {
    let stubs = stub(
      body: #"{"refreshToken": "r1"}"#,
      answer: """
        {"accessToken": null, "access_token": "new", "refreshToken": null, "refresh_token": "r2",
        "expiresIn": null, "expires_in": 60}
        """)
    let token = try await JSONRefreshGrant(baseURL: Self.origin, transport: stubs)
      .token(renewing: credential).value
    #expect(
      token == TokenResponse(accessToken: "new", refreshToken: "r2", lifetime: .seconds(60)))
  }

  @Test("An error with status 200 is the error that it names, in either form of the body")
  func errorOfSuccess() async throws {
    for (answer, isPermanent) in [
      (#"{"error": "invalid_grant"}"#, true), (#"{"error": "server_error"}"#, false),
      (#"{"message": "invalid_grant"}"#, false),
    ] {
      let stubs = stub(body: #"{"refreshToken": "r1"}"#, answer: answer)
      let failure = await failure(of: JSONRefreshGrant(baseURL: Self.origin, transport: stubs))
      #expect(failure?.isPermanent == isPermanent, "\(answer)")
    }
  }

  @Test(
    "The app says which refusals are final, by status and by a member of the body",
    arguments: [
      (403, #"{"errcode": "M_UNKNOWN_TOKEN"}"#, true), (403, #"{"errcode": "M_LIMIT"}"#, false),
      (429, #"{"errcode": "M_UNKNOWN_TOKEN"}"#, false), (410, "gone", true), (403, "", false),
      (400, #"{"error": "invalid_grant"}"#, true), (500, "", false),
    ])
  func finalRefusals(status: Int, answer: String, isPermanent: Bool) async throws {
    let rule = RefusalRule.status(403).and(.errorCode(["M_UNKNOWN_TOKEN"], in: "errcode"))
      .or(.status(404, 410))
    let stubs = stub(body: #"{"refreshToken": "r1"}"#, answer: answer, status: status)
    let json = JSONRefreshGrant(baseURL: Self.origin, finalRefusals: rule, transport: stubs)
    let failure = await failure(of: json)
    #expect(failure?.isPermanent == isPermanent)
    #expect((failure?.cause as? RESTError)?.kind == .status(status))
    let form = StubTransport(
      StubAPIResponse(
        request: .init(.post, urlString: "\(Self.origin)/token"), statusCode: status,
        result: .json(answer)))
    let client = OAuthClient(
      tokenEndpoint: "\(Self.origin)/token", id: "app", authentication: .none, transport: form)
    let other = await self.failure(of: RefreshTokenGrant(client, finalRefusals: rule))
    #expect(other?.isPermanent == isPermanent)
  }

  private func failure(of grant: any TokenGrant) async -> GrantError? {
    do {
      _ = try await grant.token(renewing: credential).value
      return nil
    } catch {
      return error as? GrantError
    }
  }

  @Test("An error with any status of success is that error")
  func errorOfAnySuccess() async {
    for status in [200, 299] {
      let stubs = stub(
        body: #"{"refreshToken": "r1"}"#, answer: #"{"error": "invalid_grant"}"#, status: status)
      let grant = JSONRefreshGrant(baseURL: Self.origin, transport: stubs)
      guard case .permanent(let cause as RESTError)? = await failure(of: grant) else {
        Issue.record("a refusal with \(status) is none")
        continue
      }
      #expect(cause.kind == .status(status))
    }
  }

  @Test(
    "A status that judges nothing ends no session, whatever the body says",
    arguments: [(300, false), (400, true), (408, false), (429, false), (499, true), (500, false)])
  func judgment(status: Int, isPermanent: Bool) async {
    let stubs = stub(
      body: #"{"refreshToken": "r1"}"#, answer: #"{"error": "invalid_grant"}"#, status: status)
    let grant = JSONRefreshGrant(baseURL: Self.origin, transport: stubs)
    #expect(await failure(of: grant)?.isPermanent == isPermanent)
  }

  @Test("Only the access token is required")
  func accessTokenAlone() async throws {
    let stubs = stub(body: #"{"refreshToken": "r1"}"#, answer: #"{"accessToken": "new"}"#)
    let token = try await JSONRefreshGrant(baseURL: Self.origin, transport: stubs)
      .token(renewing: credential).value
    #expect(token == TokenResponse(accessToken: "new"))
  }

  @Test("Method, path, names and extra fields are parameters")
  func contract() async throws {
    let stubs = stub(
      .put, "session", body: #"{"token": "r1", "device": "d7"}"#,
      answer: #"{"data": {"jwt": "new", "next": "r2", "ttl": 90}}"#)
    let grant = JSONRefreshGrant(
      baseURL: Self.origin, method: .put, endpoint: "session",
      names: JSONRefreshGrant.Names(
        sentRefreshToken: "token", accessToken: "jwt", refreshToken: "next", lifetime: "ttl",
        envelope: "data"),
      extraFields: ["device": "d7"], transport: stubs)
    let token = try await grant.token(renewing: credential).value
    #expect(
      token == TokenResponse(accessToken: "new", refreshToken: "r2", lifetime: .seconds(90)))
    try stubs.verify()
  }

  @Test(
    "Without a refresh token, or with an empty one, nothing is sent",
    arguments: [nil, ""] as [String?])
  func noRefreshToken(refreshToken: String?) async throws {
    let grant = JSONRefreshGrant(baseURL: Self.origin, transport: StubTransport())
    let error = try await #require(throws: GrantError.self) {
      try await grant.token(
        renewing: Credential(accessToken: "old", refreshToken: refreshToken)
      ).value
    }
    guard case .permanent(RefreshError.noRefreshToken) = error else {
      Issue.record("\(error)")
      return
    }
  }

  @Test("An extra field cannot replace the refresh token")
  func extraFieldOfTheSameName() async throws {
    let stubs = stub(body: #"{"refreshToken": "r1"}"#, answer: #"{"accessToken": "new"}"#)
    let grant = JSONRefreshGrant(
      baseURL: Self.origin, extraFields: ["refreshToken": "other"], transport: stubs)
    _ = try await grant.token(renewing: credential).value
    try stubs.verify()
  }

  @Test("A response without a token says which name is missing, and how to change the names")
  func missing() async throws {
    let stubs = stub(body: #"{"refreshToken": "r1"}"#, answer: #"{"jwt": "canary"}"#)
    let grant = JSONRefreshGrant(baseURL: Self.origin, transport: stubs)
    let error = try await #require(throws: GrantError.self) {
      try await grant.token(renewing: credential).value
    }
    guard case .transient(let cause as RESTError, _) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause.kind == .decoding)
    #expect(
      cause.description == """
        POST https://id.example.com/auth/refresh: the response does not decode as TokenResponse: \
        "accessToken" is missing. Check the token endpoint's response. If its names differ, pass \
        them to the grant with `names:`, or decode a type of your own in a ClosureGrant or a \
        ClosureSignIn.
        """)
  }

  @Test(
    "A session says that a refresh will fail again until the grant or the server is corrected",
    arguments: [
      (200, #"{"jwt": "canary"}"#), (200, "<html>"), (400, #"{"error": "invalid_scope"}"#),
      (404, "{}"), (405, "{}"), (401, #"{"error": "invalid_client"}"#),
      (200, #"{"error": "unauthorized_client"}"#),
    ])
  func notForNow(status: Int, answer: String) async throws {
    let text = try await text(ofRefresh: status, answer)
    #expect(text.contains("will not be until the grant or the server is corrected"))
    #expect(!text.contains("ry again later"))
  }

  @Test(
    "A session says how to name a dead refresh token, where the response may mean it",
    arguments: [
      (401, "", true), (403, "{}", true), (400, #"{"error": "expired_token"}"#, true),
      (200, #"{"error": "bad_refresh_token"}"#, true),
      (400, #"{"error": "temporarily_unavailable"}"#, false), (503, "", false), (429, "", false),
    ])
  func mayBeDead(status: Int, answer: String, isNamed: Bool) async throws {
    let text = try await text(ofRefresh: status, answer)
    #expect(text.contains("Try again later."))
    #expect(text.contains("finalRefusals") == isNamed)
  }

  @Test(
    "A refresh that is answered as a bad request names the members that were sent, without values",
    arguments: [
      (400, "", true), (422, #"{"detail": "token required"}"#, true),
      (400, #"{"error": "invalid_request"}"#, true), (400, #"{"error": "invalid_grant"}"#, false),
      (401, "", false),
    ])
  func members(status: Int, answer: String, areNamed: Bool) async throws {
    let text = try await text(ofRefresh: status, answer)
    #expect(text.contains("The refresh sent `refreshToken`.") == areNamed)
    #expect(text.contains("`names` or `extraFields` of JSONRefreshGrant") == areNamed)
    #expect(!text.contains("r1"))
  }

  @Test("A refresh token that is dead may be used up by another session, and the error says so")
  func usedUp() async throws {
    let text = try await text(ofRefresh: 400, #"{"error": "invalid_grant"}"#)
    #expect(text.contains("If another session uses the same refresh token"))
    #expect(text.contains("share one TokenSession, or one TokenStore"))
  }

  /// The error of a call whose refresh is answered so.
  private func text(ofRefresh status: Int, _ answer: String) async throws -> String {
    let stubs = stub(body: #"{"refreshToken": "r1"}"#, answer: answer, status: status)
    let session = TokenSession(grant: JSONRefreshGrant(baseURL: Self.origin, transport: stubs))
    try session.signIn(Credential(accessToken: "old", refreshToken: "r1", expiresAt: .distantPast))
    let api = TestAPI(transport: stubs, session: session)
    let error = try await #require(throws: TokenSessionError.self) {
      try await api.get(endpoint: "x").value
    }
    return "\(error)"
  }

  @Test(
    "A wait that the body of a refusal names counts as a Retry-After, and the longer one of both",
    arguments: [(nil, 7), ("5", 7), ("9", 9)] as [(String?, Int64)])
  func waitInBody(field: String?, wait: Int64) async throws {
    let limited = StubAPIResponse(
      request: .init(.post, urlString: "\(Self.origin)/auth/refresh"), statusCode: 429,
      headers: field.map { ["Retry-After": $0] } ?? [:],
      result: .json(#"{"retry_after_ms": 7000}"#))
    let grant = JSONRefreshGrant(
      baseURL: Self.origin,
      retryAfter: { response in
        let body = try? JSONDecoder().decode(JSONValue.self, from: response.data)
        return body?["retry_after_ms"]?.integer.map { .milliseconds($0) }
      }, transport: StubTransport(limited))
    let error = await #expect(throws: GrantError.self) {
      try await grant.token(renewing: credential).value
    }
    guard case .transient(_, retryAfter: .seconds(wait)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("A refusal that ends the session, and one without a response, name no wait")
  func noWait() async throws {
    for fails in [true, false] {
      let request = StubRequest(.post, urlString: "\(Self.origin)/auth/refresh")
      let answer =
        fails
        ? StubAPIResponse(request: request, result: .fault(.connectionRefused))
        : StubAPIResponse(
          request: request, statusCode: 400, result: .json(#"{"error": "invalid_grant"}"#))
      let grant = JSONRefreshGrant(
        baseURL: Self.origin, retryAfter: { _ in .seconds(7) }, transport: StubTransport(answer))
      let error = await #expect(throws: GrantError.self) {
        try await grant.token(renewing: credential).value
      }
      switch error {
      case .transient(_, retryAfter: nil)?: #expect(fails)
      case .permanent?: #expect(!fails)
      default: Issue.record("\(String(describing: error))")
      }
    }
  }

  @Test(
    "A token response of OAuth has either spelling, and the one of the RFC counts first",
    arguments: [
      (#"{"access_token": "a", "accessToken": "b"}"#, "a"), (#"{"accessToken": "b"}"#, "b"),
    ])
  func tokenResponse(body: String, token: String) throws {
    let response = try JSONDecoder().decode(TokenResponse.self, from: Data(body.utf8))
    #expect(response.accessToken == token)
  }
}

extension GrantError {
  fileprivate var isPermanent: Bool {
    if case .permanent = self { true } else { false }
  }
}
