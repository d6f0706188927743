import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Puts a session's token on a request, where it may go and where none is yet.
extension IssuedCredential: RequestPreparer {
  /// A request that the user's modifier authorized keeps that; one that it sent to another origin
  /// than the API's gets no token.
  ///
  /// - Throws: ``TokenSessionError/signedOut`` where its user is gone: what is sent again by a stage
  ///   before the session's would go out with it otherwise.
  func prepare(
    _ request: inout URLRequest, ofAPIAt api: String
  ) throws(TokenSessionError) {
    guard let url = request.url,
      Self.goesOn(url.absoluteString, after: api) || Origin(url) == Origin(ofBaseURL: api)
    else { return }
    guard !span.isOver else { throw .signedOut }
    request.setIfAbsent(headerFields)
  }

  /// Where the call has had its refresh, any other answer than a 401 that a rule names is the caller's
  /// as it is.
  func isRefused(by answer: RESTResponse, in part: CallPart) -> Bool {
    refuses(answer, in: part) && (answer.statusCode == 401 || !part.call.hasRefreshed)
  }

  func refuses(_ answer: RESTResponse) -> Bool { refusals.refuses(answer) }

  /// Whether an answer to a part's last request, which carried it, refuses it.
  func refuses(_ answer: RESTResponse, in part: CallPart) -> Bool {
    refusals.refuses(answer) && wasCarried(by: part)
  }

  func asker(of request: URLRequest) -> RequestAsker? {
    request.value(forHTTPHeaderField: "Authorization") == authorization
      ? RequestAsker(span) : nil
  }

  /// Whether a URL has the API's base URL in front of its path, letter by letter, as nearly each has:
  /// to take two origins apart costs as much as the rest of a call.
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
