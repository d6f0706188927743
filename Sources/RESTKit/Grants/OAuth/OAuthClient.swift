import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A client as an OAuth 2 authorization server knows it, and where it buys tokens.
///
/// ```swift
/// let client = OAuthClient(
///   tokenEndpoint: "https://id.example.com/o/token/", id: "shop-app", authentication: .none)
/// let grant = RefreshTokenGrant(client)
/// ```
///
/// What it sends goes to the token endpoint and nowhere else: redirects are refused, since they
/// would carry the secrets on. Its texts never show the secret.
public struct OAuthClient: Sendable {
  private let api: TokenEndpoint
  private let id: String
  private let authentication: ClientAuthentication

  /// - Parameters:
  ///   - tokenEndpoint: An absolute http or https URL, without a query.
  ///   - id: The name that the server gave the client.
  ///   - authentication: How the client proves to be that one.
  ///   - transport: What carries the requests.
  public init(
    tokenEndpoint: String, id: String, authentication: ClientAuthentication,
    transport: any Transport = .shared
  ) {
    api = TokenEndpoint(baseURL: tokenEndpoint, transport: transport)
    self.id = id
    self.authentication = authentication
  }

  /// Asks for a token (RFC 6749 §4 and §6), anew for each subscription.
  ///
  /// An answer without an access token, and one of a type other than `Bearer` (§7.1), is no token and
  /// a transient failure; ``GrantError/init(_:)`` sorts the others.
  ///
  /// - Parameter fields: The form, besides what authenticates the client.
  package func token(_ fields: [URLQueryItem]) -> AnyPublisher<TokenResponse, GrantError> {
    let body = RequestBody.form(fields + authenticatingFields)
    return api.post(endpoint: "", body: body) { [id, authentication] request in
      let request = request.acceptingJSON()
      guard case .basic(let secret) = authentication else { return request }
      // Both are encoded as in a form, so that a colon in the name is none between the two.
      return request.addingBasicAuthorization(
        name: FormEncoding.text(id), password: FormEncoding.text(secret))
    }
    .context(RedirectBound.Key.self, .place)
    .decode(type: BearerToken.self)
    .tryMap { try $0.checked() }
    .mapError { GrantError($0) }
    .eraseToAnyPublisher()
  }

  private var authenticatingFields: [URLQueryItem] {
    switch authentication {
    case .basic: []
    case .form(let secret):
      [.init(name: "client_id", value: id), .init(name: "client_secret", value: secret)]
    case .none: [.init(name: "client_id", value: id)]
    }
  }
}

extension OAuthClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    "OAuthClient(id: \(id), authentication: \(authentication))"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

private struct TokenEndpoint: RESTAPI {
  let baseURL: String
  let transport: any Transport
}
