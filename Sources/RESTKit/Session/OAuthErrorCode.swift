import Foundation

/// The `error` member of an OAuth 2 error body (RFC 6749 §5.2), such as `invalid_grant`.
struct OAuthErrorCode: Decodable {
  let text: String

  private enum CodingKeys: String, CodingKey {
    case text = "error"
  }

  /// - Returns: nil for a body without a code.
  init?(body: Data) {
    guard let code = try? JSONDecoder().decode(Self.self, from: body) else { return nil }
    self = code
  }
}
