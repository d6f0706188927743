import Foundation

/// A token response of type `Bearer`, the only type that this client supports (RFC 6749 §7.1).
struct BearerToken: Decodable {
  private let response: TokenResponse

  private enum CodingKeys: String, CodingKey {
    case type = "token_type"
  }

  init(from decoder: any Decoder) throws {
    response = try TokenResponse(from: decoder)
    let members = try decoder.container(keyedBy: CodingKeys.self)
    // Some servers omit the type. All of them mean `Bearer`.
    let type = try members.decodeIfPresent(String.self, forKey: .type) ?? "Bearer"
    guard type.lowercased() == "bearer" else {
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: members, debugDescription: "only Bearer tokens can be used")
    }
  }

  /// Returns the response, unless its access token is empty.
  func checked() throws(RefreshError) -> TokenResponse {
    guard !response.accessToken.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty else {
      throw .emptyAccessToken
    }
    return response
  }
}

extension BearerToken: LibraryResponse {
  static var remedy: String {
    "Check the token endpoint's response: RFC 6749, section 5.1, defines its contents."
  }
}
