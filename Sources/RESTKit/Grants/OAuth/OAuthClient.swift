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
/// Grants that sign a user in need to know more of the server than that:
///
/// ```swift
/// let server = try await AuthorizationServer.discover(issuer: "https://id.example.com").value
/// let client = OAuthClient(server: server, id: "shop-app", authentication: .none)
/// ```
///
/// What it sends goes to the server's endpoints and nowhere else: redirects are refused, since they
/// would carry the secrets on. Its texts never show the secret.
public struct OAuthClient: Sendable {
  /// What is known of the server; nil where that is the token endpoint alone.
  let server: AuthorizationServer?
  let id: String
  private let tokenEndpoint: String
  private var authentication: ClientAuthentication
  private let transport: any Transport

  /// - Parameters:
  ///   - tokenEndpoint: An absolute http or https URL.
  ///   - id: The name that the server gave the client.
  ///   - authentication: How the client proves to be that one.
  ///   - transport: What carries the requests.
  public init(
    tokenEndpoint: String, id: String, authentication: ClientAuthentication,
    transport: any Transport = .shared
  ) {
    server = nil
    self.tokenEndpoint = tokenEndpoint
    self.id = id
    self.authentication = authentication
    self.transport = transport
  }

  /// - Parameters:
  ///   - server: The server that knows the client.
  ///   - id: The name that the server gave the client.
  ///   - authentication: How the client proves to be that one.
  ///   - transport: What carries the requests.
  public init(
    server: AuthorizationServer, id: String, authentication: ClientAuthentication,
    transport: any Transport = .shared
  ) {
    self.server = server
    tokenEndpoint = server.tokenEndpoint
    self.id = id
    self.authentication = authentication
    self.transport = transport
  }

  /// Asks for a token (RFC 6749 §4 and §6), anew for each subscription.
  ///
  /// An answer without an access token, and one of a type other than `Bearer` (§7.1), is no token and
  /// a transient failure; ``GrantError/init(_:)`` sorts the others.
  ///
  /// - Parameter fields: The form, besides what authenticates the client.
  package func token(_ fields: [URLQueryItem]) -> AnyPublisher<TokenResponse, GrantError> {
    tokenAnswer(to: fields).mapError { GrantError($0) }.eraseToAnyPublisher()
  }

  /// Asks for a token, and fails with what went wrong.
  func tokenAnswer(to fields: [URLQueryItem]) -> AnyPublisher<TokenResponse, any Error> {
    answer(to: fields, at: tokenEndpoint)
      .decode(type: BearerToken.self)
      .tryMap { try $0.checked() }
      .eraseToAnyPublisher()
  }

  /// The same client where an endpoint takes these methods of authentication alone.
  ///
  /// - Parameters:
  ///   - methods: What the endpoint takes; nil where the server does not say.
  ///   - name: What the server's metadata calls them.
  /// - Throws: `SignInError` where it has none of them.
  func authenticating(
    byOneOf methods: [String]?, named name: String
  ) throws(SignInError) -> OAuthClient {
    guard let fitting = authentication.among(methods) else {
      throw .notSupported("\(authentication.methodName ?? "none") in \(name)")
    }
    var client = self
    client.authentication = fitting
    return client
  }

  /// Posts a form to an endpoint of the server, with what authenticates the client.
  ///
  /// - Parameters:
  ///   - fields: The form, besides what authenticates the client.
  ///   - endpoint: The endpoint's URL.
  func answer(
    to fields: [URLQueryItem], at endpoint: String
  ) -> AnyPublisher<RESTResponse, any Error> {
    let endpoint = OAuthEndpoint(endpoint, transport: transport)
    switch authentication {
    case .basic(let secret):
      return endpoint.post(fields) { [id] request in
        // Both are encoded as in a form, so that a colon in the name is none between the two.
        request.addingBasicAuthorization(
          name: FormEncoding.text(id), password: FormEncoding.text(secret))
      }
    case .form(let secret):
      return endpoint.post(
        fields + [idField, URLQueryItem(name: "client_secret", value: secret)])
    case .assertion(let assertion):
      return assertion.fields(client: id, tokenEndpoint: tokenEndpoint)
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
    "OAuthClient(id: \(id), authentication: \(authentication))"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
