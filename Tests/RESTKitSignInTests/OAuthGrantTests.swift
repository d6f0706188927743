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

@Suite("The grants of OAuth 2")
struct OAuthGrantTests {
  @Test(
    "A refresh posts the refresh token as a form (RFC 6749 §6), with no authorization of its own")
  func refresh() async throws {
    let endpoint = TokenEndpoint()
    let response = try await RefreshTokenGrant(endpoint.client()).token(renewing: .canaries).value
    #expect(response == TokenResponse(accessToken: "canary-new"))
    #expect(
      try endpoint.form == "grant_type=refresh_token&refresh_token=canary-r&client_id=app")
    let request = try #require(endpoint.requests.first)
    #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
    #expect(request.value(forHTTPHeaderField: "Accept") == "application/json")
    #expect(
      request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
  }

  @Test("A refresh may request a smaller scope")
  func scope() async throws {
    let endpoint = TokenEndpoint()
    _ = try await RefreshTokenGrant(endpoint.client(), scope: "read write")
      .token(renewing: .canaries).value
    #expect(try endpoint.form.contains("&scope=read%20write"))
  }

  @Test("A client authenticates in the header, with both parts encoded (RFC 6749 §2.3.1)")
  func basic() async throws {
    let endpoint = TokenEndpoint()
    let client = endpoint.client(.basic(secret: "pass+word: é"), id: "my:app")
    _ = try await RefreshTokenGrant(client).token(renewing: .canaries).value
    let header = try #require(endpoint.requests.first?.value(forHTTPHeaderField: "Authorization"))
    let pair = try #require(Data(base64Encoded: String(header.dropFirst("Basic ".count))))
    #expect(header.hasPrefix("Basic "))
    #expect(String(decoding: pair, as: UTF8.self) == "my%3Aapp:pass%2Bword%3A%20%C3%A9")
    #expect(try endpoint.form == "grant_type=refresh_token&refresh_token=canary-r")
  }

  @Test("A client can authenticate in the form, for servers that read only the form")
  func form() async throws {
    let endpoint = TokenEndpoint()
    _ = try await RefreshTokenGrant(endpoint.client(.form(secret: "s&c")))
      .token(renewing: .canaries).value
    #expect(
      try endpoint.form == "grant_type=refresh_token&refresh_token=canary-r&client_id=app"
        + "&client_secret=s%26c")
    #expect(endpoint.requests.first?.value(forHTTPHeaderField: "Authorization") == nil)
  }

  @Test("Client credentials need no user, and keep no refresh token (RFC 6749 §4.4.3)")
  func clientCredentials() async throws {
    let endpoint = TokenEndpoint(
      result: .json(
        #"{"access_token": "a", "refresh_token": "r", "expires_in": 3600, "token_type": "bearer"}"#)
    )
    let grant = ClientCredentialsGrant(endpoint.client(.form(secret: "s")), scope: "pets")
    #expect(!grant.requiresSignIn)
    let response = try await grant.token(renewing: nil).value
    #expect(response == TokenResponse(accessToken: "a", lifetime: .seconds(3_600)))
    #expect(
      try endpoint.form
        == "grant_type=client_credentials&scope=pets&client_id=app&client_secret=s")
  }

  @Test("A password goes into the form")
  func password() async throws {
    let endpoint = TokenEndpoint()
    let grant = PasswordGrant(endpoint.client(), username: "ada", password: "p w&")
    #expect(!grant.requiresSignIn)
    _ = try await grant.token(renewing: nil).value
    #expect(
      try endpoint.form == "grant_type=password&username=ada&password=p%20w%26&client_id=app")
  }

  @Test("TR-07: the response's refresh token, scope and lifetime are passed on")
  func rotation() async throws {
    let endpoint = TokenEndpoint(
      result: .json(
        #"{"access_token": "a", "refresh_token": "r2", "expires_in": 60, "scope": "read"}"#))
    let response = try await RefreshTokenGrant(endpoint.client()).token(renewing: .canaries).value
    #expect(
      response
        == TokenResponse(
          accessToken: "a", refreshToken: "r2", lifetime: .seconds(60), scope: "read"))
  }

  @Test(
    "TR-06: the token is accepted with any expires_in",
    arguments: [
      ("", nil), (#", "expires_in": null"#, nil), (#", "expires_in": 0"#, nil),
      (#", "expires_in": -1"#, nil), (#", "expires_in": "3600""#, .seconds(3_600)),
      (#", "expires_in": " 60 ""#, .seconds(60)), (#", "expires_in": 1.5"#, .milliseconds(1_500)),
      (#", "expires_in": "soon""#, nil), (#", "expires_in": true"#, nil),
      (#", "expires_in": {}"#, nil), (#", "expires_in": [60]"#, nil),
      (#", "expires_in": "nan""#, nil),
      (#", "expires_in": 1e300"#, .seconds(315_360_000)),
      (#", "expires_in": "99999999999999999999""#, .seconds(315_360_000)),
    ] as [(String, Duration?)])
  func lifetimes(member: String, lifetime: Duration?) async throws {
    let endpoint = TokenEndpoint(result: .json(#"{"access_token": "a"\#(member)}"#))
    let response = try await RefreshTokenGrant(endpoint.client()).token(renewing: .canaries).value
    #expect(response == TokenResponse(accessToken: "a", lifetime: lifetime))
  }

  @Test("Each subscription sends a request, and nothing is sent before")
  func cold() async throws {
    let endpoint = TokenEndpoint()
    let token = RefreshTokenGrant(endpoint.client()).token(renewing: .canaries)
    #expect(endpoint.requests.isEmpty)
    _ = try await token.value
    #expect(endpoint.requests.count == 1)
  }

  @Test("TR-13: a session's refresh carries the client's authorization, and not the session's")
  func sessionRefresh() async throws {
    for (authentication, prefix) in [
      (ClientAuthentication.basic(secret: "s"), "Basic "), (.form(secret: "s"), nil), (.none, nil),
    ] {
      let endpoint = TokenEndpoint()
      let session = TokenSession(
        grant: RefreshTokenGrant(endpoint.client(authentication)),
        store: MemoryTokenStore(.canaries), scheduler: TestScheduler())
      let api = TestAPI(transport: AnsweringTransport(taking: "canary-new"))
      let response = try await session.authorize(api.get(endpoint: "me")).value
      #expect(response.statusCode == 200)
      let header = endpoint.requests.first?.value(forHTTPHeaderField: "Authorization")
      #expect(header?.prefix(6) == prefix?.prefix(6))
      #expect(endpoint.requests.count == 1)
    }
  }

  @Test(
    "TR-07: without a new refresh token, or with an empty one, the old one stays",
    arguments: ["", #", "refresh_token": null"#, #", "refresh_token": """#])
  func keptRefreshToken(member: String) async throws {
    let endpoint = TokenEndpoint(result: .json(#"{"access_token": "canary-new"\#(member)}"#))
    let store = MemoryTokenStore(.canaries)
    let session = TokenSession(
      grant: RefreshTokenGrant(endpoint.client()), store: store, scheduler: TestScheduler())
    let api = TestAPI(transport: AnsweringTransport(taking: "canary-new"))
    _ = try await session.authorize(api.get(endpoint: "me")).value
    #expect(store.read()?.accessToken == "canary-new")
    #expect(store.read()?.refreshToken == "canary-r")
  }

  @Test("SEC-11, TR-33: no text of clients, grants and their failures shows a secret")
  func texts() async throws {
    let endpoint = TokenEndpoint(
      statusCode: 400, result: .json(#"{"error": "invalid_grant", "error_description": "canary"}"#))
    let secrets: [ClientAuthentication] = [
      .basic(secret: "canary-s"), .form(secret: "canary-s"), .none,
    ]
    for authentication in secrets {
      let client = endpoint.client(authentication)
      let grant = RefreshTokenGrant(client)
      let failure = await #expect(throws: GrantError.self) {
        try await grant.token(renewing: .canaries).value
      }
      let texts =
        allTexts(of: authentication) + allTexts(of: client) + allTexts(of: grant)
        + allTexts(of: ClientCredentialsGrant(client))
        + allTexts(of: PasswordGrant(client, username: "ada", password: "canary-p"))
        + allTexts(of: try #require(failure))
      for text in texts { #expect(!text.contains("canary"), "\(text)") }
    }
  }
}
