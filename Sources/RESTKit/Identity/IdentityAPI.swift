import Foundation
import Streams

/// The requests of an identity API.
struct IdentityAPI: RESTAPI {
  let baseURL: String
  let transport: any Transport

  /// What a refresh answers, bare or under `result`.
  struct RefreshAnswer: Decodable, Sendable {
    let accessToken: String
    let refreshToken: String?
  }

  private struct RefreshBody: Encodable {
    let refreshToken: String?
  }

  /// Asks for a new access token; the refresh token goes as JSON, and no authorization with it.
  func refresh(_ credential: Credential) -> AnyPublisher<RefreshAnswer, any Error> {
    Deferred {
      Result { try JSONEncoder().encode(RefreshBody(refreshToken: credential.refreshToken)) }
        .publisher
        .flatMap { body in
          post(endpoint: "auth/refresh", body: body) { $0.acceptingJSON().sendingJSON() }
        }
    }
    .unwrapResultJSON()
    .decode(type: RefreshAnswer.self)
    .eraseToAnyPublisher()
  }
}
