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

  /// Returns this refusal without the texts that repeat one of the secrets sent to the server.
  package func hiding(_ secrets: [String]) -> SignInRefusal {
    func isOpen(_ text: String) -> Bool {
      !secrets.contains { !$0.isEmpty && text.contains($0) }
    }
    return SignInRefusal(
      code: isOpen(code) ? code : "hidden",
      explanation: explanation.flatMap { isOpen($0) ? $0 : nil },
      page: page.flatMap { isOpen($0) ? $0 : nil })
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
