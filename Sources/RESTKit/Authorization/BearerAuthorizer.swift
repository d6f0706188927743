import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Puts a session's token on a request, where it may go and where none is yet.
struct BearerAuthorizer: RequestAuthorizer {
  let credential: IssuedCredential

  /// A request that the user's modifier authorized keeps that; one that it sent to another origin
  /// than the API's gets no token.
  func authorize(_ request: inout URLRequest, ofAPIAt api: String) {
    guard request.value(forHTTPHeaderField: "Authorization") == nil,
      let url = request.url, let base = URL(string: api), Origin(url) == Origin(base)
    else { return }
    request.setValue(credential.authorization, forHTTPHeaderField: "Authorization")
  }
}
