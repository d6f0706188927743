import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Puts a session's token on a request, where it may go and where none is yet.
struct BearerAuthorizer: RequestAuthorizer {
  let credential: IssuedCredential
  let session: TokenSession

  /// A request that the user's modifier authorized keeps that; one that it sent to another origin
  /// than the API's gets no token.
  func authorize(_ request: inout URLRequest, ofAPIAt api: String) {
    guard let url = request.url,
      Self.begins(url.absoluteString, withOriginOf: api) || Origin(url) == Origin(ofBaseURL: api)
    else { return }
    request.setIfAbsent(credential.authorization, for: "Authorization")
  }

  /// Where the call has had its refresh, nothing helps: a 401 is its failure, and any other answer
  /// that a rule names the caller's as it is.
  func isRefused(by answer: RESTResponse, in call: LogicalCall) -> Bool {
    session.options.refusals.refuses(answer) && credential.wasCarried(by: call)
      && (answer.statusCode == 401 || !call.hasRefreshed)
  }

  func identity(of request: URLRequest) -> TokenSession.Identity? {
    guard request.value(forHTTPHeaderField: "Authorization") == credential.authorization else {
      return nil
    }
    return TokenSession.Identity(session: session.tag, epoch: credential.epoch)
  }

  /// Whether a URL has the same scheme and authority, letter by letter, as nearly each has: to take
  /// two origins apart costs as much as the rest of a call.
  private static func begins(_ url: String, withOriginOf api: String) -> Bool {
    let answer = url.utf8.withContiguousStorageIfAvailable { url in
      api.utf8.withContiguousStorageIfAvailable { api in begins(url, withOriginOf: api) }
    }
    return (answer ?? nil) ?? false
  }

  private static func begins(
    _ url: UnsafeBufferPointer<UInt8>, withOriginOf api: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    let slash = UInt8(ascii: "/")
    guard let scheme = api.firstIndex(of: slash) else { return false }
    let authority = api[scheme...].dropFirst(2)
    let end = authority.firstIndex(of: slash) ?? authority.endIndex
    return url.count > end && url[end] == slash && url[..<end].elementsEqual(api[..<end])
  }
}

extension Origin {
  fileprivate init?(ofBaseURL text: String) {
    guard let url = URL(string: text) else { return nil }
    self.init(url)
  }
}
