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
/// Grants that sign a user in need more of the server than its token endpoint:
///
/// ```swift
/// let server = try await AuthorizationServer.discover(issuer: "https://id.example.com").value
/// let client = OAuthClient(server: server, id: "shop-app", authentication: .none)
/// ```
///
/// The client sends only to the server's endpoints. It refuses redirects, since they would forward the
/// secrets. Its descriptions never show the secret.
public struct OAuthClient: Sendable {
  /// The server's metadata, or nil if only the token endpoint is known.
  let server: AuthorizationServer?
  let id: String
  private let tokenEndpoint: String
  private var authentication: ClientAuthentication
  private let transport: any Transport

  /// - Parameters:
  ///   - tokenEndpoint: An absolute http or https URL.
  ///   - id: The identifier that the server gave the client.
  ///   - authentication: The method by which the client authenticates.
  ///   - transport: The transport that sends the requests.
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
  ///   - server: The server at which the client is registered.
  ///   - id: The identifier that the server gave the client.
  ///   - authentication: The method by which the client authenticates.
  ///   - transport: The transport that sends the requests.
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

  /// Requests a token (RFC 6749 §4 and §6), once for each subscription.
  ///
  /// A response without an access token, or with a type other than `Bearer` (§7.1), is a transient failure.
  /// ``GrantError/init(_:)`` classifies the other failures.
  ///
  /// - Parameter fields: The fields of the form, without those that authenticate the client.
  package func token(_ fields: [URLQueryItem]) -> AnyPublisher<TokenResponse, GrantError> {
    tokenAnswer(to: fields).mapError { GrantError($0) }.eraseToAnyPublisher()
  }

  /// Requests a token, and fails with the original error.
  func tokenAnswer(to fields: [URLQueryItem]) -> AnyPublisher<TokenResponse, any Error> {
    answer(to: fields, at: tokenEndpoint)
      .decode(type: BearerToken.self)
      .tryMap { try $0.checked() }
      .eraseToAnyPublisher()
  }

  /// Returns the client with a method of authentication that an endpoint accepts.
  ///
  /// - Parameters:
  ///   - methods: The methods that the endpoint accepts, or nil if they are not known.
  ///   - name: The name of these methods in the server's metadata.
  /// - Throws: `SignInError` if the endpoint accepts no method of the client.
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

  /// Posts a form to an endpoint of the server, and authenticates the client.
  ///
  /// - Parameters:
  ///   - fields: The fields of the form, without those that authenticate the client.
  ///   - endpoint: The endpoint's URL.
  func answer(
    to fields: [URLQueryItem], at endpoint: String
  ) -> AnyPublisher<RESTResponse, any Error> {
    let endpoint = OAuthEndpoint(endpoint, transport: transport)
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
      return assertion.fields(client: id, tokenEndpoint: tokenEndpoint)
        .flatMap { [idField] in endpoint.post(fields + [idField] + $0) }
        .eraseToAnyPublisher()
    case .none:
      return endpoint.post(fields + [idField])
    }
  }

  /// The secrets of the client, which no text may repeat.
  var secrets: [String] { authentication.secrets }

  private var idField: URLQueryItem { URLQueryItem(name: "client_id", value: id) }
}

extension OAuthClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    "OAuthClient(id: \(id), authentication: \(authentication))"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
