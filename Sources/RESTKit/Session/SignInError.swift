/// The reason why a sign-in brought no credential although its exchanges succeeded.
///
/// Failures of the exchanges themselves are ``RESTError``. No text contains a code, a token or a
/// `state`.
public enum SignInError: Error, Sendable, Hashable {
  /// The authorization server refused, with these texts. The code is `access_denied` if the user
  /// declined.
  case refused(SignInRefusal)
  /// The user did not confirm the device in time (RFC 8628 §3.5), or did not come back from the
  /// browser in time. Begin the sign-in again.
  case expired
  /// Another sign-in began, or the app signed in or out, before this sign-in ended.
  case superseded
  /// The callback belongs to another sign-in: its `state` differs (RFC 6749 §10.12).
  case stateMismatch
  /// The callback comes from another authorization server, or does not name its server (RFC 9207
  /// §2.4).
  case issuerMismatch
  /// The callback's URL is not the requested redirect URI (RFC 6749 §10.6).
  case redirectMismatch
  /// The callback violates RFC 6749 §4.1.2, for this reason.
  case malformedCallback(String)
  /// The server's response violates its standard, for this reason.
  case malformedResponse(String)
  /// The authorization server does not offer a feature that the sign-in needs, such as
  /// `device_authorization_endpoint`.
  case notSupported(String)
  /// A URL of the configuration or of the server's metadata cannot be used, for this reason.
  case invalidURL(name: String, reason: String)
  /// An additional parameter has the name of a parameter that the grant sets itself.
  case reservedParameter(String)
  /// This machine could not listen for the callback, for this reason.
  case notListening(String)
  /// A token of the credential contains a control character, such as a line feed or NUL, which no
  /// request can carry. Its name is `accessToken` or `refreshToken`.
  case unusableToken(name: String)
}

extension SignInError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .refused(let refusal):
      "The authorization server refused the sign-in. \(refusal)"
    case .expired:
      "The sign-in was not confirmed in time. Begin it again. For more time in the browser, set "
        + "the LoopbackRedirect's `timeLimit`."
    case .superseded:
      "Another sign-in or a sign-out took the place of this one. Nothing has to be done."
    case .stateMismatch:
      "The callback belongs to another sign-in: its state differs. Begin the sign-in again."
    case .issuerMismatch:
      "The callback or the metadata names another issuer than the one that was asked, or none. "
        + "Check the issuer, and begin the sign-in again."
    case .redirectMismatch:
      "The callback is not at the redirect URI of the request. Register and pass the same URI."
    case .malformedCallback(let reason):
      "The callback \(reason). Look into the authorization server's log."
    case .malformedResponse(let reason):
      "The authorization server's response \(reason). Look into its log."
    case .notSupported(let feature):
      "The authorization server does not offer \(feature). Use another grant, or add it to the "
        + "AuthorizationServer."
    case .invalidURL(let name, let reason):
      "The \(name.printable) \(reason.printable). Correct it. A server's URL is absolute and uses https, or http for "
        + "127.0.0.1, [::1] and localhost."
    case .reservedParameter(let name):
      "The parameter \(name.printable) is set by the grant itself. Remove it from the additional parameters."
    case .notListening(let reason):
      "This machine cannot listen for the callback: \(reason). Choose another port."
    case .unusableToken(let name):
      "The credential's \(name) contains a control character, such as a line feed. Check where the "
        + "token was read from, and sign in with the token alone."
    }
  }
}

/// An error response of an authorization server (RFC 6749 §4.1.2.1 and §5.2, RFC 8628 §3.5).
///
/// The texts come from the server. Control characters are removed, and long texts are cut.
public struct SignInRefusal: Sendable, Hashable {
  /// The `error`, such as `access_denied` or `invalid_grant`.
  public let code: String
  /// The `error_description`, for developers, or nil if the server gives none.
  public let explanation: String?
  /// The `error_uri`, a page about the error, or nil if the server gives none.
  public let page: String?

  /// The longest text that is kept, in characters.
  static let maximumLength = 500

  public init(code: String, explanation: String? = nil, page: String? = nil) {
    self.code = Self.cleaned(code)
    self.explanation = explanation.map(Self.cleaned)
    self.page = page.map(Self.cleaned)
  }

  /// Returns this refusal without the texts that repeat one of the secrets sent to the server, as
  /// they are or with the escapes of a URL.
  ///
  /// A text that was cut may end with the beginning of a secret.
  package func hiding(_ secrets: [String]) -> SignInRefusal {
    func isOpen(_ text: String) -> Bool { !Self.repeats(secrets, in: text) }
    return SignInRefusal(
      code: isOpen(code) ? code : "hidden",
      explanation: explanation.flatMap { isOpen($0) ? $0 : nil },
      page: page.flatMap { isOpen($0) ? $0 : nil })
  }

  /// Returns whether a text repeats one of the secrets, as it is or with the escapes of a URL.
  package static func repeats(_ secrets: [String], in text: String) -> Bool {
    let isCut = text.unicodeScalars.count == maximumLength
    let plain = decoded(text)
    return secrets.lazy.filter { !$0.isEmpty }.map(decoded).contains { secret in
      contains(plain, secret) || isCut && ends(plain, withBeginningOf: secret)
    }
  }

  private static func contains(_ text: [UInt8], _ secret: [UInt8]) -> Bool {
    text.indices.contains { text[$0...].starts(with: secret) }
  }

  private static func ends(_ text: [UInt8], withBeginningOf secret: [UInt8]) -> Bool {
    // A shorter beginning says nothing about the secret.
    let shortest = 4
    guard secret.count > shortest else { return false }
    return (shortest..<secret.count).contains { text.suffix($0).elementsEqual(secret.prefix($0)) }
  }

  /// Returns the bytes of a text without the escapes of a URL, and of a URL in a URL.
  private static func decoded(_ text: String) -> [UInt8] {
    let escape = UInt8(ascii: "%")
    return (0..<3).reduce(Array(text.utf8)) { bytes, _ in
      guard bytes.contains(escape) else { return bytes }
      var plain: [UInt8] = []
      var place = 0
      while place < bytes.count {
        let digits = bytes[place...].dropFirst().prefix(2).compactMap(\.hexDigitValue)
        if bytes[place] == escape, digits.count == 2 {
          plain.append(digits[0] << 4 | digits[1])
          place += 3
        } else {
          plain.append(bytes[place])
          place += 1
        }
      }
      return plain
    }
  }

  /// Whether a text can be shown on a terminal, where control characters are commands.
  package static func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isPlain) }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: false
    default: true
    }
  }

  private static func cleaned(_ text: String) -> String {
    let plain = text.unicodeScalars.lazy.filter(isPlain).prefix(maximumLength)
    return String(String.UnicodeScalarView(plain))
  }
}

extension SignInRefusal: Decodable {
  private enum CodingKeys: String, CodingKey {
    case code = "error"
    case explanation = "error_description"
    case page = "error_uri"
  }

  /// Decodes the JSON of RFC 6749 §5.2.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      code: try members.decode(String.self, forKey: .code),
      explanation: try? members.decodeIfPresent(String.self, forKey: .explanation),
      page: try? members.decodeIfPresent(String.self, forKey: .page))
  }
}

extension SignInRefusal: CustomStringConvertible {
  public var description: String { explanation.map { "\(code): \($0)" } ?? code }
}
