import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Adds a session's token to a request that may carry it and has no authorization yet.
extension IssuedCredential: RequestPreparer {
  /// Adds the token.
  ///
  /// A request that the user's modifier authorized keeps its authorization. A request that the modifier
  /// sent to another origin than the API's gets no token.
  ///
  /// - Throws: ``TokenSessionError/signedOut`` if the token's user is signed out. Otherwise a repetition by
  ///   an upstream stage would still carry the token.
  func prepare(
    _ request: inout URLRequest, ofAPIAt api: String
  ) throws(TokenSessionError) {
    guard let url = request.url,
      Self.goesOn(url.absoluteString, after: api) || Origin(url) == Origin(ofBaseURL: api)
    else { return }
    guard !span.isOver else { throw .signedOut }
    request.setIfAbsent(headerFields)
  }

  /// Whether a response refuses the credential.
  ///
  /// After the call's refresh, only a 401 counts: any other response that a rule names passes to the
  /// caller.
  func isRefused(by answer: RESTResponse, in part: CallPart) -> Bool {
    refuses(answer, in: part) && (answer.statusCode == 401 || !part.call.hasRefreshed)
  }

  func refuses(_ answer: RESTResponse) -> Bool { refusals.refuses(answer) }

  /// Whether a response refuses this credential, which the last request of the part must have carried.
  func refuses(_ answer: RESTResponse, in part: CallPart) -> Bool {
    refusals.refuses(answer) && wasCarried(by: part)
  }

  func asker(of request: URLRequest) -> RequestAsker? {
    request.value(forHTTPHeaderField: "Authorization") == authorization
      ? RequestAsker(span) : nil
  }

  /// Whether a URL begins with the API's base URL, byte by byte, as almost every URL does.
  ///
  /// A comparison of two origins costs as much as the rest of a call.
  private static func goesOn(_ url: String, after api: String) -> Bool {
    guard url.hasPrefix(api) else { return false }
    let slash = UInt8(ascii: "/")
    return url.utf8.dropFirst(api.utf8.count).first == slash || api.utf8.last == slash
  }
}

extension Origin {
  fileprivate init?(ofBaseURL text: String) {
    guard let url = URL(string: text) else { return nil }
    self.init(url)
  }
}
