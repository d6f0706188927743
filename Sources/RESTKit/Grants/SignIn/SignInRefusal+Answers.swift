import Foundation

extension SignInRefusal {
  /// What a request to an authorization server failed with: its own words, where it has any.
  ///
  /// - Parameters:
  ///   - error: The failure.
  ///   - secrets: What the request told the server, and no text may repeat.
  static func error(of error: any Error, hiding secrets: [String]) -> any Error {
    switch error {
    case RefreshError.emptyAccessToken:
      return SignInError.malformedAnswer("holds an empty access token")
    case let error as RESTError:
      guard case .status(400...499) = error.kind,
        let refusal = error.body.flatMap({ try? JSONDecoder().decode(Self.self, from: $0) })
      else {
        // The target of a redirect is the server's text, and errors show it.
        let text = error.kind == .redirect ? "\(error)" : ""
        guard secrets.contains(where: { !$0.isEmpty && text.contains($0) }) else { return error }
        return SignInError.malformedAnswer("is a redirect that repeats a secret")
      }
      // Whoever limits requests says nothing about the sign-in, unless in the words of RFC 8628.
      let isLimit = error.kind == .status(408) || error.kind == .status(429)
      guard !isLimit || paceCodes.contains(refusal.code) else { return error }
      return SignInError.refused(refusal.hiding(secrets))
    default:
      return error
    }
  }
}

extension SignInRefusal {
  /// What a server answers to a device that asks before the user has agreed (RFC 8628 §3.5).
  static let paceCodes: Set = ["authorization_pending", "slow_down"]
}

extension SignInRefusal: Decodable {
  private enum CodingKeys: String, CodingKey {
    case code = "error"
    case explanation = "error_description"
    case page = "error_uri"
  }

  /// Reads the JSON of RFC 6749 §5.2.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      code: try members.decode(String.self, forKey: .code),
      explanation: try? members.decodeIfPresent(String.self, forKey: .explanation),
      page: try? members.decodeIfPresent(String.self, forKey: .page))
  }
}
