import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

/// The server of django-oauth-toolkit, through its own transport.
struct OAuthServer: RESTAPI {
  /// Where it listens, as `run.sh` tells it.
  static let address = ProcessInfo.processInfo.environment["RESTKIT_OAUTH_URL"]
  /// Where one listens that takes a used refresh token again for a while.
  static let graceAddress = ProcessInfo.processInfo.environment["RESTKIT_OAUTH_GRACE_URL"]

  let baseURL: String
  let transport: any Transport

  /// - Parameters:
  ///   - hasGrace: Whether it takes a used refresh token again for a while.
  ///   - wrap: Puts another transport around its own.
  init(
    _ kind: TransportKind, hasGrace: Bool = false,
    through wrap: (any Transport) -> any Transport = { $0 }
  ) throws {
    baseURL = try #require(hasGrace ? OAuthServer.graceAddress : OAuthServer.address)
    transport = wrap(try kind.makeTransport())
  }

  /// A request to the server's token endpoint, and its response.
  struct TokenRequest: Decodable, Sendable, Equatable, CustomStringConvertible {
    let grant: String
    let status: Int

    var description: String { "\(grant) → \(status)" }
  }

  /// The owner of a token; no user if the token is the client's own.
  struct Owner: Decodable, Sendable, Equatable {
    let user: String?
  }

  /// Whose token the request carries.
  var me: AnyPublisher<RESTResponse, any Error> { self.get(endpoint: "me") }

  /// Makes a client and a user that no other test knows.
  ///
  /// - Parameters:
  ///   - lifetime: How long its access tokens are valid, in seconds.
  ///   - refreshedLifetime: The lifetime of refreshed tokens, in seconds; nil for the same.
  ///   - isPublic: Whether the client has no secret.
  ///   - redirectURI: The permitted target of codes; nil for none.
  ///   - slowDown: The number of polls after which the server asks to slow down; nil for never.
  func register(
    grant: String = "password", lifetime: Int, refreshedLifetime: Int? = nil,
    isPublic: Bool = false, redirectURI: String? = nil, slowDown: Int? = nil
  ) async throws -> OAuthRegistration {
    let form: QueryItems = [
      "grant": grant, "lifetime": "\(lifetime)",
      "refreshed_lifetime": "\(refreshedLifetime ?? lifetime)",
      "type": isPublic ? "public" : "confidential", "redirect_uris": redirectURI,
      "slow_down": slowDown.map { "\($0)" },
    ]
    return try await post(endpoint: "clients", body: .form(form))
      .decode(type: OAuthRegistration.self).value
  }

  /// The token requests of a client, in order.
  func log(of registration: OAuthRegistration) async throws -> [TokenRequest] {
    try await self.get(
      endpoint: "log", query: ["client": registration.id]
    )
    .decode(type: [TokenRequest].self).value
  }

  func client(_ registration: OAuthRegistration) -> OAuthClient {
    client(registration, .basic(secret: registration.secret))
  }

  func client(
    _ registration: OAuthRegistration, _ authentication: ClientAuthentication
  ) -> OAuthClient {
    OAuthClient(
      tokenEndpoint: baseURL + "/o/token/", id: registration.id, authentication: authentication,
      transport: transport)
  }

  /// Signs the user in.
  func signIn(
    _ registration: OAuthRegistration, _ authentication: ClientAuthentication? = nil
  ) async throws -> TokenResponse {
    let client = client(registration, authentication ?? .basic(secret: registration.secret))
    return try await PasswordGrant(
      client, username: registration.username, password: registration.password
    )
    .token(renewing: nil).value
  }

  /// Revokes a token (RFC 7009).
  func revoke(_ token: String, of registration: OAuthRegistration) async throws {
    let form: QueryItems = [
      "token": token, "client_id": registration.id, "client_secret": registration.secret,
    ]
    _ = try await post(endpoint: "o/revoke_token/", body: .form(form)).validateStatus().value
  }

  /// Asks until a token has expired.
  func waitForEnd(of token: String) async throws {
    while try await status(of: token) == 200 {}
    #expect(try await status(of: token) == 401)
  }

  func status(of token: String, at endpoint: String = "me") async throws -> Int {
    try await self.get(endpoint: endpoint) { $0.addingBearerAuthorization(token: token) }
      .value.statusCode
  }
}

/// A client and a user of one test.
struct OAuthRegistration: Codable, Sendable {
  let id: String
  let secret: String
  let username: String
  let password: String
}

extension Credential {
  /// The credential of a sign-in, without its expiry if the API's 401 is to show the expiry.
  init(_ response: TokenResponse) {
    self.init(
      accessToken: response.accessToken, refreshToken: response.refreshToken,
      scope: response.scope)
  }
}
