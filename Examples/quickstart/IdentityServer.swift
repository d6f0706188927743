import Foundation
import RESTKitTesting

/// A server for an identity API on a loopback port.
///
/// It knows one user and one refresh token. It accepts only the access token that a refresh
/// returns.
final class IdentityServer: Sendable {
  let baseURL: String
  private let server: MockServer?

  /// - Parameter address: The base URL of a running identity API, or nil to start one.
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
