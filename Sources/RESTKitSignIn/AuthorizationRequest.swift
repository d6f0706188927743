import Foundation
import RESTKit

/// One request for an authorization code, with the values that identify its callback (RFC 6749
/// §4.1.1).
struct AuthorizationRequest: Sendable {
  /// The URL that the user's browser opens.
  let url: URL
  let redirectURI: String
  let key: ProofKey
  let state: String
  private let issuer: String
  private let sendsIssuer: Bool

  /// The parameters that additional parameters cannot replace.
  static let reserved: Set = [
    "response_type", "response_mode", "client_id", "redirect_uri", "scope", "state",
    "code_challenge", "code_challenge_method", "request", "request_uri",
  ]

  /// - Parameters:
  ///   - client: The client that requests the code. Its server needs an authorization endpoint.
  ///   - redirectURI: The URI to which the server redirects the browser.
  ///   - scope: The requested scope.
  ///   - parameters: Additional parameters.
  init(
    by client: OAuthClient, redirectURI: String, scope: String?, parameters: QueryItems
  ) throws(SignInError) {
    let name = "authorization_endpoint"
    guard let server = client.server, let endpoint = server.authorizationEndpoint else {
      throw .notSupported(name)
    }
    // RFC 9700 §2.1.1 allows no other method.
    if let methods = server.codeChallengeMethods, !methods.contains("S256") {
      throw .notSupported("S256 in code_challenge_methods_supported")
    }
    if let parameter = parameters.first(where: { Self.reserved.contains($0.name) }) {
      throw .reservedParameter(parameter.name)
    }
    let place = try ServerURL(endpoint, name: name)
    if place.query.contains(where: { Self.reserved.contains($0.name) }) {
      throw .invalidURL(
        name: name, reason: "has parameters in its query that the grant sets itself")
    }
    guard let target = URLReference(redirectURI), target.scheme != nil, target.fragment == nil
    else {
      throw .invalidURL(name: "redirect URI", reason: "has no scheme, or a fragment")
    }
    key = ProofKey()
    state = Data.random(byteCount: 32).base64URLText
    var items = [
      URLQueryItem(name: "response_type", value: "code"),
      URLQueryItem(name: "client_id", value: client.id),
      URLQueryItem(name: "redirect_uri", value: redirectURI),
      URLQueryItem(name: "state", value: state),
      URLQueryItem(name: "code_challenge", value: key.challenge),
      URLQueryItem(name: "code_challenge_method", value: "S256"),
    ]
    if let scope { items.append(URLQueryItem(name: "scope", value: scope)) }
    url = try place.url(adding: items + parameters, name: name)
    self.redirectURI = redirectURI
    issuer = server.issuer
    sendsIssuer = server.sendsIssuer
  }

  /// Returns whether a callback belongs to this request: nobody else knows its `state`.
  func owns(_ callback: String) -> Bool {
    guard let query = URLReference(callback)?.query else { return false }
    return [URLQueryItem].pairs(of: query).filter { $0.name == "state" }.map(\.value) == [state]
  }

  /// Returns the code that a callback contains.
  ///
  /// The state is checked first, then the issuer, and then the rest: an attacker can send an error,
  /// too.
  func code(in callback: String) throws(SignInError) -> String {
    guard let reference = URLReference(callback), isAtRedirectURI(reference) else {
      throw .redirectMismatch
    }
    var values: [String: String] = [:]
    for item in [URLQueryItem].pairs(of: reference.query ?? "") {
      guard values.updateValue(item.value ?? "", forKey: item.name) == nil else {
        throw .malformedCallback("has a parameter twice")
      }
    }
    guard values["state"] == state else { throw .stateMismatch }
    guard values["iss"] == issuer || values["iss"] == nil && !sendsIssuer else {
      throw .issuerMismatch
    }
    if let error = values["error"] {
      let refusal = SignInRefusal(
        code: error, explanation: values["error_description"], page: values["error_uri"])
      throw .refused(refusal.hiding([state, key.verifier]))
    }
    guard let code = values["code"], !code.isEmpty else {
      throw .malformedCallback("has neither a code nor an error")
    }
    return code
  }

  /// Returns whether a callback is at the redirect URI.
  ///
  /// The callback's query begins with the query of that URI. Browsers write scheme and host in
  /// lowercase, leave the scheme's default port out, and write an empty path as a slash (RFC 3986
  /// §6.2.3). All other parts must be equal (RFC 9700 §2.1).
  private func isAtRedirectURI(_ callback: URLReference) -> Bool {
    guard let expected = URLReference(redirectURI) else { return false }
    let query = expected.query.map { $0 + "&" } ?? ""
    return callback.scheme?.lowercased() == expected.scheme?.lowercased()
      && Self.authority(of: callback) == Self.authority(of: expected)
      && Self.path(of: callback).utf8.elementsEqual(Self.path(of: expected).utf8)
      && (callback.query ?? "").utf8.starts(with: query.utf8)
  }
}

extension AuthorizationRequest {
  private static func authority(of reference: URLReference) -> String? {
    guard let authority = reference.authority?.lowercased() else { return nil }
    let ports = ["http": ":80", "https": ":443"]
    let defaults = [ports[reference.scheme?.lowercased() ?? ""], ":"].compactMap { $0 }
    guard let port = defaults.first(where: authority.hasSuffix) else { return authority }
    return String(authority.dropLast(port.count))
  }

  private static func path(of reference: URLReference) -> String {
    reference.authority != nil && reference.path.isEmpty ? "/" : String(reference.path)
  }
}

/// The secret that binds an authorization code to the client that requested it (RFC 7636).
struct ProofKey: Sendable {
  /// The secret: 256 random bits in 43 characters (§4.1).
  let verifier: String

  init() { verifier = Data.random(byteCount: 32).base64URLText }

  init(verifier: String) { self.verifier = verifier }

  /// The verifier's hash, made with the method `S256` (§4.2).
  var challenge: String { Data(SHA256.hash(verifier.utf8)).base64URLText }
}
