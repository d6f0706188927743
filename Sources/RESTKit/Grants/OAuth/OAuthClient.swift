import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A client that is registered with an OAuth 2 authorization server.
///
/// ```swift
/// let client = OAuthClient(
///   tokenEndpoint: "https://id.example.com/o/token/", id: "shop-app", authentication: .none)
/// let grant = RefreshTokenGrant(client)
/// ```
///
/// Grants that sign a user in need more of the server than its token endpoint: RESTKitSignIn makes
/// a client from an `AuthorizationServer`.
///
/// The client sends only to the server's endpoints. It refuses redirects, since they would forward
/// the secrets. Its descriptions never show the secret.
public struct OAuthClient: Sendable {
  /// The server's metadata, or nil if only the token endpoint is known.
  ///
  /// It has no type here, since only RESTKitSignIn reads it.
  package let serverMetadata: (any Sendable)?
  /// The server's issuer identifier, or nil if only the token endpoint is known.
  private let issuer: String?
  package let id: String
  package var authentication: ClientAuthentication
  private let tokenEndpoint: String
  private let transport: any Transport
  /// The members of a token response that a credential keeps.
  private let extras: [String]

  /// - Parameters:
  ///   - tokenEndpoint: An absolute http or https URL.
  ///   - id: The identifier that the server gave the client.
  ///   - authentication: The method by which the client authenticates.
  ///   - extras: The members of a token response that the credential keeps as
  ///     ``Credential/extras``, such as the id of a tenant.
  ///   - transport: The transport that sends the requests.
  public init(
    tokenEndpoint: String, id: String, authentication: ClientAuthentication,
    extras: [String] = [], transport: any Transport = .shared
  ) {
    self.init(
      tokenEndpoint: tokenEndpoint, issuer: nil, serverMetadata: nil, id: id,
      authentication: authentication, extras: extras, transport: transport)
  }

  package init(
    tokenEndpoint: String, issuer: String?, serverMetadata: (any Sendable)?, id: String,
    authentication: ClientAuthentication, extras: [String], transport: any Transport
  ) {
    self.tokenEndpoint = tokenEndpoint
    self.issuer = issuer
    self.serverMetadata = serverMetadata
    self.id = id
    self.authentication = authentication
    self.extras = extras
    self.transport = transport
  }

  /// Requests a token (RFC 6749 §4 and §6), once for each subscription.
  ///
  /// A response without an access token, or with a type other than `Bearer` (§7.1), is a transient
  /// failure, unless it is an error with a status of success. ``GrantError/init(_:)`` classifies
  /// the other failures.
  ///
  /// - Parameters:
  ///   - fields: The fields of the form, without those that authenticate the client.
  ///   - finalRefusals: A rule for further permanent failures.
  package func token(
    _ fields: [URLQueryItem], finalRefusals: RefusalRule? = nil
  ) -> AnyPublisher<TokenResponse, GrantError> {
    tokenResponse(to: fields, finalRefusals: finalRefusals).mapError { GrantError($0) }
      .eraseToAnyPublisher()
  }

  /// Requests a token, and fails with the original error.
  package func tokenResponse(
    to fields: [URLQueryItem], finalRefusals: RefusalRule? = nil
  ) -> AnyPublisher<TokenResponse, any Error> {
    answer(to: fields, at: tokenEndpoint)
      .ending(by: finalRefusals)
      .tryMap { [extras] response in
        let token = try response.decoded {
          try JSONDecoder().decode(BearerToken.self, from: $0, configuration: extras)
        }
        return try token.checked()
      }
      .mapError { ($0 as? RESTError)?.readAsTokenResponse ?? $0 }
      .eraseToAnyPublisher()
  }

  /// Posts a form to an endpoint of the server, and authenticates the client.
  ///
  /// - Parameters:
  ///   - fields: The fields of the form, without those that authenticate the client.
  ///   - endpoint: The endpoint's URL.
  package func answer(
    to fields: [URLQueryItem], at endpoint: String
  ) -> AnyPublisher<RESTResponse, any Error> {
    let url = endpoint
    let endpoint = OAuthEndpoint(url, transport: transport)
    switch authentication {
    case .basic(let secret):
      return endpoint.post(fields) { [id] request in
        // Both are encoded as in a form, so a colon in the name does not separate the two.
        request.addingBasicAuthorization(
          name: FormEncoding.text(id), password: FormEncoding.text(secret))
      }
    case .form(let secret):
      return endpoint.post(
        fields + [idField, URLQueryItem(name: "client_secret", value: secret)])
    case .assertion(let assertion):
      let subject = ClientAssertion.Subject(
        clientID: id, issuer: issuer, tokenEndpoint: tokenEndpoint)
      return assertion.fields(for: subject, sentTo: url)
        .flatMap { [idField] in endpoint.post(fields + [idField] + $0) }
        .eraseToAnyPublisher()
    case .none:
      return endpoint.post(fields + [idField])
    }
  }

  private var idField: URLQueryItem { URLQueryItem(name: "client_id", value: id) }
}

extension OAuthClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    "OAuthClient(id: \(id), authentication: \(authentication))".printable
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// An endpoint of an authorization server: a URL that may have a query (RFC 6749 §3.2).
struct OAuthEndpoint: RESTAPI {
  let baseURL: String
  let transport: any Transport
  private let query: QueryItems

  /// - Parameter text: The URL. If it is invalid, the requests fail.
  init(_ text: String, transport: any Transport) {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    baseURL = parts.first.map(String.init) ?? text
    self.transport = transport
    query = QueryItems(parts.dropFirst().first.map([URLQueryItem].pairs) ?? [])
  }

  /// Posts a form and accepts JSON.
  func post(
    _ fields: [URLQueryItem], modifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    post(endpoint: "", query: query, body: .form(QueryItems(fields))) {
      modifier($0.acceptingJSON())
    }
    .context(RedirectBound.Key.self, .place)
    .eraseToAnyPublisher()
  }
}

extension [URLQueryItem] {
  /// Returns the pairs of an encoded query, in order.
  ///
  /// A pair without `=` has no value.
  package static func pairs(of query: Substring) -> Self {
    query.split(separator: "&").map { pair in
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { half in
          let text = half.replacingOccurrences(of: "+", with: " ")
          return text.removingPercentEncoding ?? text
        }
      return URLQueryItem(name: halves[0], value: halves.dropFirst().first)
    }
  }
}

/// A token response of type `Bearer`, the only type that this client supports (RFC 6749 §7.1).
struct BearerToken: DecodableWithConfiguration {
  private let response: TokenResponse

  private enum CodingKeys: String, CodingKey {
    case type = "token_type"
  }

  /// - Parameter extras: The names of the members that the credential keeps.
  init(from decoder: any Decoder, configuration extras: [String]) throws {
    response = try TokenResponse(from: decoder, extras: extras)
    let members = try decoder.container(keyedBy: CodingKeys.self)
    // Some servers omit the type. All of them mean `Bearer`.
    let type = try members.decodeIfPresent(String.self, forKey: .type) ?? "Bearer"
    guard type.lowercased() == "bearer" else {
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: members, debugDescription: "only Bearer tokens can be used")
    }
  }

  /// Returns the response, unless its access token is empty.
  func checked() throws(RefreshError) -> TokenResponse {
    guard !response.accessToken.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty else {
      throw .emptyAccessToken
    }
    return response
  }
}

extension BearerToken: LibraryResponse {
  static var remedy: String {
    "Check the token endpoint's response: RFC 6749, section 5.1, defines its contents."
  }
}
