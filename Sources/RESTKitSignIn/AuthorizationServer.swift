import Foundation
import RESTKit
import Streams

/// The metadata of an authorization server (RFC 8414).
///
/// ``discover(issuer:transport:)`` requests it from the server. Keep the value: its encoding is the
/// format of RFC 8414. Each initializer checks the URLs. Each endpoint must be an https URL, or an
/// http URL of this machine.
public struct AuthorizationServer: Sendable, Hashable {
  /// The server's issuer identifier, a URL that callbacks may repeat (RFC 9207).
  public let issuer: String
  /// The URL of the token endpoint.
  public let tokenEndpoint: String
  /// The URL of the authorization endpoint, or nil if the server has none.
  public let authorizationEndpoint: String?
  /// The URL of the device authorization endpoint (RFC 8628), or nil if the server has none.
  public let deviceAuthorizationEndpoint: String?
  /// The URL of the revocation endpoint (RFC 7009), or nil if the server has none.
  public let revocationEndpoint: String?
  /// The methods of authentication that the revocation endpoint accepts, such as
  /// `client_secret_basic`, or nil if they are not known.
  public let revocationEndpointAuthMethods: [String]?
  /// The methods by which the server checks proof keys (RFC 7636), or nil if they are not known.
  public let codeChallengeMethods: [String]?
  /// Whether each callback names the issuer (RFC 9207 §3).
  public let sendsIssuer: Bool

  /// Creates the metadata of a server without a request.
  ///
  /// - Parameters:
  ///   - issuer: The server's issuer identifier, a URL without a query.
  ///   - tokenEndpoint: The URL of the token endpoint.
  ///   - authorizationEndpoint: The URL of the authorization endpoint, or nil if the server has
  ///     none.
  ///   - deviceAuthorizationEndpoint: The URL of the device authorization endpoint, or nil if the
  ///     server has none.
  ///   - revocationEndpoint: The URL of the revocation endpoint, or nil if the server has none.
  ///   - revocationEndpointAuthMethods: The methods of authentication that the revocation endpoint
  ///     accepts, or nil if they are not known.
  ///   - codeChallengeMethods: The methods by which the server checks proof keys, or nil if they
  ///     are not known.
  ///   - sendsIssuer: Whether each callback names the issuer.
  /// - Throws: `SignInError.invalidURL` for an invalid URL.
  public init(
    issuer: String, tokenEndpoint: String, authorizationEndpoint: String? = nil,
    deviceAuthorizationEndpoint: String? = nil, revocationEndpoint: String? = nil,
    revocationEndpointAuthMethods: [String]? = nil, codeChallengeMethods: [String]? = nil,
    sendsIssuer: Bool = false
  ) throws(SignInError) {
    _ = try ServerURL.issuer(issuer)
    for (name, text) in [
      ("token_endpoint", tokenEndpoint), ("authorization_endpoint", authorizationEndpoint),
      ("device_authorization_endpoint", deviceAuthorizationEndpoint),
      ("revocation_endpoint", revocationEndpoint),
    ] {
      if let text { _ = try ServerURL(text, name: name) }
    }
    self.issuer = issuer
    self.tokenEndpoint = tokenEndpoint
    self.authorizationEndpoint = authorizationEndpoint
    self.deviceAuthorizationEndpoint = deviceAuthorizationEndpoint
    self.revocationEndpoint = revocationEndpoint
    self.revocationEndpointAuthMethods = revocationEndpointAuthMethods
    self.codeChallengeMethods = codeChallengeMethods
    self.sendsIssuer = sendsIssuer
  }
}

extension AuthorizationServer: Codable {
  private enum CodingKeys: String, CodingKey {
    case issuer
    case tokenEndpoint = "token_endpoint"
    case authorizationEndpoint = "authorization_endpoint"
    case deviceAuthorizationEndpoint = "device_authorization_endpoint"
    case revocationEndpoint = "revocation_endpoint"
    case revocationEndpointAuthMethods = "revocation_endpoint_auth_methods_supported"
    case codeChallengeMethods = "code_challenge_methods_supported"
    case sendsIssuer = "authorization_response_iss_parameter_supported"
  }

  /// Decodes the metadata of RFC 8414 §2, and ignores other members.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      issuer: members.decode(String.self, forKey: .issuer),
      tokenEndpoint: members.decode(String.self, forKey: .tokenEndpoint),
      authorizationEndpoint: members.decodeIfPresent(String.self, forKey: .authorizationEndpoint),
      deviceAuthorizationEndpoint: members.decodeIfPresent(
        String.self, forKey: .deviceAuthorizationEndpoint),
      revocationEndpoint: members.decodeIfPresent(String.self, forKey: .revocationEndpoint),
      revocationEndpointAuthMethods: members.decodeIfPresent(
        [String].self, forKey: .revocationEndpointAuthMethods),
      codeChallengeMethods: members.decodeIfPresent([String].self, forKey: .codeChallengeMethods),
      sendsIssuer: members.decodeIfPresent(Bool.self, forKey: .sendsIssuer) ?? false)
  }
}

extension AuthorizationServer {
  /// Requests a server's metadata (RFC 8414 §3), once for each subscription.
  ///
  /// If the URL of RFC 8414 has no metadata, the URL of OpenID Connect Discovery 1.0 §4 is
  /// requested. There is none if the response has a status below 500 other than 200, a redirect to
  /// another origin, a page, or JSON without an issuer. The metadata must name the issuer exactly
  /// as it is given here (RFC 8414 §3.3). Metadata of another issuer is refused.
  ///
  /// - Demand: The requests are sent with the subscription. The one value waits for demand.
  /// - Errors: `SignInError` for an invalid issuer, and for metadata that violates the standard.
  ///   `RESTError` if there is no metadata.
  /// - Cancellation: Ends the exchange.
  /// - Delivery: Where the transport delivers.
  ///
  /// - Parameters:
  ///   - issuer: The server's issuer identifier, an https URL without a query. For this machine,
  ///     http is allowed.
  ///   - transport: The transport that sends the requests.
  public static func discover(
    issuer: String, transport: any Transport = .shared
  ) -> AnyPublisher<AuthorizationServer, any Error> {
    Deferred {
      Result<ServerURL, any Error> { try ServerURL.issuer(issuer) }.publisher
        .flatMap { place in
          let api = MetadataAPI(of: place.base, transport: transport)
          return api.get(
            endpoint: "/.well-known/oauth-authorization-server\(place.base.path)"
          ) { $0.acceptingJSON() }
          .tryMap { try read($0, issuer: issuer) }
          .tryCatch { error in
            guard isAbsence(error) else { throw error }
            return api.get(endpoint: "\(place.base.path)/.well-known/openid-configuration") {
              $0.acceptingJSON()
            }
            .tryMap { try read($0, issuer: issuer) }
          }
        }
    }
    .eraseToAnyPublisher()
  }

  private static func read(_ response: RESTResponse, issuer: String) throws -> AuthorizationServer {
    try response.requireStatus(200...200)
    let server: AuthorizationServer
    do {
      server = try response.decoded()
    } catch {
      // The fault of a URL says more than a decoding error does.
      throw (error.underlyingError as? SignInError) ?? error
    }
    guard server.issuer == issuer else { throw SignInError.issuerMismatch }
    return server
  }

  /// Returns whether an error means that a URL has no metadata: some servers return a page instead,
  /// an empty response, or a redirect to their front page.
  private static func isAbsence(_ error: any Error) -> Bool {
    guard let error = error as? RESTError else { return false }
    return switch error.kind {
    case .status(let code): code < 500
    case .malformedResponse, .redirect: true
    case .decoding: !namesIssuer(error.body ?? Data())
    default: false
    }
  }

  private static func namesIssuer(_ body: Data) -> Bool {
    (try? JSONDecoder().decode(IssuerName.self, from: body))?.issuer != nil
  }
}

extension AuthorizationServer: LibraryResponse {
  package static var remedy: String {
    "Check the server's metadata and the issuer: RFC 8414, section 2, defines the contents."
  }
}

private struct IssuerName: Decodable {
  let issuer: String?
}

private struct MetadataAPI: RESTAPI {
  let baseURL: String
  let transport: any Transport
  let redirects = RedirectPolicy.sameOrigin

  init(of place: BaseURL, transport: any Transport) {
    baseURL = "\(place.scheme)://\(place.authority)"
    self.transport = transport
  }
}
