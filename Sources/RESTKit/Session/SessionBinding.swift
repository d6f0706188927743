import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A session that authorizes a request and its redirects as one user, with the token of the moment at which
/// each leaves.
final class SessionBinding: Sendable {
  /// What a request that is about to leave gets.
  enum Grant {
    case credential(IssuedCredential)
    /// It has to wait for a credential.
    case wait
    /// The user is signed out.
    case signedOut
  }

  let session: TokenSession
  let call: LogicalCall
  let span: SignInSpan
  /// Whether the requests repeat others, whose credential was refused.
  let isRepetition: Bool
  /// The credential that the call has waited for before its request was made; nil if it has not waited.
  private let granted: IssuedCredential?

  init(
    to session: TokenSession, for call: LogicalCall, as span: SignInSpan,
    after granted: IssuedCredential? = nil, isRepetition: Bool = false
  ) {
    self.granted = granted
    self.session = session
    self.call = call
    self.span = span
    self.isRepetition = isRepetition
  }

  /// Whether a request is to carry a token.
  ///
  /// A request that the user's modifier authorized keeps its authorization. A request that the modifier
  /// sent to another origin than the API's gets no token.
  ///
  /// - Throws: ``TokenSessionError/signedOut`` if the user is signed out.
  ///
  /// - Parameter api: The base URL of the API whose verb made the request.
  func authorizes(
    _ request: URLRequest, ofAPIAt api: String
  ) throws(TokenSessionError) -> Bool {
    guard let url = request.url,
      Self.goesOn(url.absoluteString, after: api) || Origin(url) == Origin(ofBaseURL: api)
    else { return false }
    guard !span.isOver else { throw .signedOut }
    return !request.hasField("Authorization")
  }

  /// Puts the token of this moment on a request that is just built, if there is one.
  ///
  /// Most requests leave at once. A request that is held once is changed in place, while a copy of it
  /// for the token costs more than all else of a session. A request that waits gets another token if it
  /// needs one.
  ///
  /// - Returns: The credential on the request; nil if it has to wait for one.
  func bind(_ request: inout URLRequest) -> IssuedCredential? {
    guard case .credential(let credential) = grant() else { return nil }
    request.setIfAbsent(credential.headerFields)
    return credential
  }

  /// Returns the credential for a request that leaves now.
  ///
  /// - Parameter granted: The credential that the request has waited for; nil if it has not waited.
  func grant(after granted: IssuedCredential? = nil) -> Grant {
    guard !span.isOver else { return .signedOut }
    let now = session.now
    let granted = granted ?? self.granted
    guard let credential = session.machine.withLock({ $0.ready(at: now, after: granted) }) else {
      return .wait
    }
    return grant(credential)
  }

  /// Returns a credential, unless it is another user's.
  func grant(_ credential: IssuedCredential) -> Grant {
    credential.span === span && !span.isOver ? .credential(credential) : .signedOut
  }

  /// Whether a response, perhaps still without its body, refuses the credential that it answers, and so
  /// is not the result.
  ///
  /// After the call's refresh, only a 401 counts: any other response that a rule names passes to the
  /// caller.
  func isRefused(by answer: RESTResponse) -> Bool {
    refuses(answer) && (answer.statusCode == 401 || !call.hasRefreshed)
  }

  /// Whether a response refuses the credential that it answers.
  func refuses(_ answer: RESTResponse) -> Bool {
    session.credential(answeredBy: answer.head)?.refusals.refuses(answer) ?? false
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
