import Foundation

/// A response with tokens, read with an app's names and those of ``TokenResponse``.
private struct JSONTokenBody: DecodableWithConfiguration {
  let token: TokenResponse
  let account: String?
  /// The reason why the response's lifetime is not believed; nil if it is.
  let doubt: String?

  init(from decoder: any Decoder, configuration names: JSONRefreshGrant.Names) throws {
    var doubt: String?
    token = try TokenResponse(
      from: decoder, accessToken: names.accessToken, refreshToken: names.refreshToken,
      lifetime: names.lifetime, extras: names.extras
    ) { lifetime in
      let reading = LifetimeReading(lifetime, names: names)
      doubt = reading.doubt
      return reading.duration
    }
    self.doubt = doubt
    account = try names.account.flatMap {
      try TokenResponse.text(of: $0, in: decoder)
    }
  }
}

extension RESTResponse {
  /// Reads the tokens of this response, and whose they are.
  ///
  /// The log of the call says why a lifetime is not believed.
  ///
  /// - Throws: `RESTError`, as the failure of `decode(type:decoder:)`.
  func token(
    named names: JSONRefreshGrant.Names
  ) throws(RESTError) -> (token: TokenResponse, account: String?) {
    var account: String?
    var doubt: String?
    let token = try decoded {
      let body = try JSONDecoder().decode(JSONTokenBody.self, from: $0, configuration: names)
      (account, doubt) = (body.account, body.doubt)
      return body.token
    }
    if let doubt { journal?.record(.decoded("a token without its lifetime: \(doubt)")) }
    return (token, account)
  }
}
