import Foundation

/// What there is to know of an authorization server (RFC 8414).
///
/// ``discover(issuer:transport:)`` asks the server for it. Keep the value: it is encoded and decoded in
/// the format of RFC 8414, and checked each time that it is made. Each endpoint has to be an https URL, or
/// an http one of this machine.
public struct AuthorizationServer: Sendable, Hashable {
  /// The name of the server, a URL; callbacks may repeat it (RFC 9207).
  public let issuer: String
  /// Where tokens are bought.
  public let tokenEndpoint: String
  /// Where users say yes; nil where they cannot.
  public let authorizationEndpoint: String?
  /// Where devices begin (RFC 8628); nil where they cannot.
  public let deviceAuthorizationEndpoint: String?
  /// Where tokens are ended (RFC 7009); nil where they cannot be.
  public let revocationEndpoint: String?
  /// How clients prove themselves where tokens are ended, such as `client_secret_basic`; nil where the
  /// server does not say.
  public let revocationEndpointAuthMethods: [String]?
  /// How the server checks proof keys (RFC 7636); nil where it does not say.
  public let codeChallengeMethods: [String]?
  /// Whether each callback names the issuer (RFC 9207 §3).
  public let sendsIssuer: Bool

  /// A server that is known without asking it.
  ///
  /// - Parameters:
  ///   - issuer: The name of the server, a URL without a query.
  ///   - tokenEndpoint: Where tokens are bought.
  ///   - authorizationEndpoint: Where users say yes; nil where they cannot.
  ///   - deviceAuthorizationEndpoint: Where devices begin; nil where they cannot.
  ///   - revocationEndpoint: Where tokens are ended; nil where they cannot be.
  ///   - revocationEndpointAuthMethods: How clients prove themselves there; nil where the server does not say.
  ///   - codeChallengeMethods: How the server checks proof keys; nil where it does not say.
  ///   - sendsIssuer: Whether each callback names the issuer.
  /// - Throws: ``SignInError/invalidURL(name:reason:)``.
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

  /// Reads the metadata of RFC 8414 §2; members that are of no use here are passed over.
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
