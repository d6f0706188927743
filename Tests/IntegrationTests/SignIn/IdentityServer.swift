import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

/// The identity provider Canaille, through its own transport.
struct IdentityServer: RESTAPI {
  /// Where it listens, as `run.sh` tells it.
  static let address = ProcessInfo.processInfo.environment["RESTKIT_IDENTITY_URL"]

  let baseURL: String
  let transport: any Transport

  init(_ kind: TransportKind = .default) throws {
    baseURL = try #require(IdentityServer.address)
    transport = try kind.makeTransport()
  }

  /// How a client proves itself, as the server names it.
  enum Proof: String, CaseIterable, Sendable {
    case none
    case secret = "client_secret_basic"
    case key = "private_key_jwt"
  }

  /// Makes a client and a user that no other test knows.
  func register(_ proof: Proof, redirectURI: String) async throws -> IdentityRegistration {
    let form: QueryItems = ["authentication": proof.rawValue, "redirect_uri": redirectURI]
    return try await post(endpoint: "clients", body: .form(form))
      .decode(type: IdentityRegistration.self).value
  }

  /// How the server answers to a token: 200 while it is good, else 401.
  func status(of token: String) async throws -> Int {
    try await self.get(endpoint: "oauth/userinfo") { $0.addingBearerAuthorization(token: token) }
      .value.statusCode
  }
}

/// A client and a user of one test.
struct IdentityRegistration: Decodable, Sendable {
  let id: String
  let secret: String
  /// The private key, in PEM; nil where the client has none.
  let key: String?
  /// The name of the key at the server.
  let keyID: String?
  let username: String
  let password: String

  private enum CodingKeys: String, CodingKey {
    case id, secret, key, username, password
    case keyID = "key_id"
  }
}
