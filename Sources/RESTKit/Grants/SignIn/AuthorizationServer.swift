import Foundation

/// The metadata of an authorization server (RFC 8414).
///
/// ``discover(issuer:transport:)`` requests it from the server. Keep the value: its encoding is the format
/// of RFC 8414. Each initializer checks the URLs. Each endpoint must be an https URL, or an http URL of this
/// machine.
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
  /// The methods of authentication that the revocation endpoint accepts, such as `client_secret_basic`, or
  /// nil if they are not known.
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
  ///   - authorizationEndpoint: The URL of the authorization endpoint, or nil if the server has none.
  ///   - deviceAuthorizationEndpoint: The URL of the device authorization endpoint, or nil if the server has
  ///     none.
  ///   - revocationEndpoint: The URL of the revocation endpoint, or nil if the server has none.
  ///   - revocationEndpointAuthMethods: The methods of authentication that the revocation endpoint accepts,
  ///     or nil if they are not known.
  ///   - codeChallengeMethods: The methods by which the server checks proof keys, or nil if they are not
  ///     known.
  ///   - sendsIssuer: Whether each callback names the issuer.
  /// - Throws: ``SignInError/invalidURL(name:reason:)`` for an invalid URL.
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
