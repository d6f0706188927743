/// A token that this client knows how to use (RFC 6749 §7.1).
struct BearerToken: Decodable {
  let response: TokenResponse

  private enum CodingKeys: String, CodingKey {
    case type = "token_type"
  }

  init(from decoder: any Decoder) throws {
    response = try TokenResponse(from: decoder)
    let members = try decoder.container(keyedBy: CodingKeys.self)
    // Some servers leave it out; all that do mean this one.
    let type = try members.decodeIfPresent(String.self, forKey: .type) ?? "Bearer"
    guard type.lowercased() == "bearer" else {
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: members, debugDescription: "only Bearer tokens can be used")
    }
  }
}
