import Foundation
import RESTKitTesting

/// An identity API on a loopback port: it knows one person, one refresh token, and no access token
/// but the one that a refresh brings.
final class IdentityServer: Sendable {
  let baseURL: String
  private let server: MockServer?

  /// - Parameter address: An identity API that runs already; then none is started.
  init(unlessAt address: String?) throws {
    if let address {
      baseURL = address
      server = nil
      return
    }
    let server = try MockServer { request in
      switch (request.method, request.path) {
      case ("GET", "/me") where request.value(for: "Authorization") == "Bearer fresh":
        .json(profile)
      case ("GET", "/me"):
        .json(#"{"title": "The access token has expired"}"#, status: 401)
      case ("POST", "/auth/refresh")
      where String(decoding: request.body, as: UTF8.self) == #"{"refreshToken":"refresh-1"}"#:
        .json(#"{"result": {"accessToken": "fresh"}}"#)
      default:
        .json(#"{"title": "No such thing"}"#, status: 404)
      }
    }
    baseURL = server.baseURL
    self.server = server
  }
}

nonisolated private let profile = """
  {"result": {
    "self": {
      "firstName": "Ada", "lastName": "Lovelace", "email": "ada@example.com",
      "dateOfBirth": "1815-12-10T00:00:00",
      "address": {"city": "London", "countryCode": "GB"}
    },
    "isVerified": true, "username": "ada", "createdDate": "2026-01-02T03:04:05.1234567"
  }}
  """
