import Foundation
import Streams

/// Renews a token with `POST auth/refresh` and JSON: `{"refreshToken": "…"}` gets
/// `{"accessToken": "…", "refreshToken": "…", "expiresIn": 3600}`, bare or under `result`.
///
/// Only the access token must be there. A redirect is refused: it would take the refresh token along.
public struct JSONRefreshGrant: TokenGrant {
  private struct API: RESTAPI {
    let baseURL: String
    let transport: any Transport
  }

  private struct Body: Encodable {
    let refreshToken: String
  }

  private struct Answer: Decodable, Sendable {
    let accessToken: String
    let refreshToken: String?
    let lifetime: TokenLifetime?

    private enum CodingKeys: String, CodingKey {
      case accessToken, refreshToken
      case lifetime = "expiresIn"
    }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      accessToken = try members.decode(String.self, forKey: .accessToken)
      refreshToken = try members.decodeIfPresent(String.self, forKey: .refreshToken)
      lifetime = try? members.decode(TokenLifetime.self, forKey: .lifetime)
    }
  }

  private let api: API
  private let endpoint: String

  /// - Parameters:
  ///   - baseURL: Where the API lives that renews tokens.
  ///   - endpoint: The path of the refresh below it.
  ///   - transport: What carries the request.
  public init(
    baseURL: String, endpoint: String = "auth/refresh", transport: any Transport = .shared
  ) {
    api = API(baseURL: baseURL, transport: transport)
    self.endpoint = endpoint
  }

  public func token(renewing credential: Credential?) -> AnyPublisher<TokenResponse, GrantError> {
    guard let refreshToken = credential?.refreshToken else {
      return Fail(error: .permanent(RefreshError.noRefreshToken)).eraseToAnyPublisher()
    }
    let body = RequestBody.json(Body(refreshToken: refreshToken))
    return api.post(endpoint: endpoint, body: body) { $0.acceptingJSON() }
      .context(RedirectBound.Key.self, .place)
      .unwrapResultJSON()
      .decode(type: Answer.self)
      .map { answer in
        TokenResponse(
          accessToken: answer.accessToken, refreshToken: answer.refreshToken,
          lifetime: answer.lifetime?.duration)
      }
      .mapError { GrantError($0) }
      .eraseToAnyPublisher()
  }
}
