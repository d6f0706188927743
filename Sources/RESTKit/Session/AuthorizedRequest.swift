import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The session step of a request: it waits until there is a user, and asks again once if the token
/// was refused.
///
///     user known? ── no ──▶ wait for the user
///         │ yes                    │
///         ▼                        ▼
///     the rest of the way: build, …, leave with a token ◀── wait for another token
///         │                                                        ▲
///         ▼                                                        │
///     the response refuses the token? ── yes, the first time ──────┘
///         │ no
///         ▼
///     delivered
///
/// The step fixes the user, and the rest of the way puts that user's token on as the request
/// leaves. It does not wait for a token: a call recognizes equal requests by their order, so none
/// is built later than others.
final class AuthorizedRequest: Sendable {
  enum Step {
    /// - Parameter refused: The response that refused the token; nil if nothing was sent.
    case wait(CredentialWait, refused: RESTResponse?)
    /// The request is built for a user, and sent.
    case send(SessionBinding)
    case fail(TokenSessionError)
  }

  private let session: TokenSession
  private let call: LogicalCall
  /// The scope of the call that is sent again.
  let scopedCall: ScopedCall
  /// The context of the rest of the way.
  let context: SubscriptionContext

  /// - Parameter context: The subscriber's context.
  init(session: TokenSession, call: LogicalCall, in context: SubscriptionContext) {
    self.session = session
    self.call = call
    let (scope, inside) = context.beginningScope(of: call, keepsRequests: false)
    scopedCall = ScopedCall(of: call, scope: scope)
    self.context = inside
  }

  /// The first step.
  ///
  /// The request belongs to the user who is signed in now, however long it waits. The token is put
  /// on when the request leaves.
  ///
  /// - Parameter isCircular: Whether the session's own refresh makes the call, which would wait for
  ///   itself.
  func first(isCircular: Bool) -> Step {
    guard !isCircular else { return .fail(.refreshNeedsItself) }
    return session.span.map { send(as: $0) }
      ?? .wait(CredentialWait(for: call, in: session, wantsUser: true), refused: nil)
  }

  /// The step after a wait; nil if the wait brought no credential.
  ///
  /// - Parameter isRenewal: Whether the request was already sent and refused.
  func step(after wait: CredentialWait, isRenewal: Bool) -> Step? {
    guard let credential = wait.take() else { return nil }
    if isRenewal {
      // A renewal by another call also counts as this call's refresh.
      if credential.isRenewed { _ = call.takeRefresh() }
      if let scope = scopedCall.scope { call.beginRepetition(of: scope, cause: .refresh) }
    }
    return send(
      as: credential.span, after: isRenewal ? credential : nil, isRepeated: isRenewal)
  }

  /// The wait after a response that refuses its token; nil if the response is to be delivered.
  ///
  /// - Throws: `RESTError` for a 401 that no further token helps.
  func wait(
    after response: RESTResponse, to binding: SessionBinding
  ) throws(RESTError) -> CredentialWait? {
    // A cached response says nothing about the token.
    guard !response.isFromCache,
      let credential = session.credential(of: response.departure)
    else { return nil }
    guard credential.refusals.refuses(response) else {
      if response.statusCode < 500 { credential.noteAccepted() }
      return nil
    }
    let status = response.statusCode
    if let wait = renewal(of: credential, refusedBy: status, to: binding) { return wait }
    guard status == 401 else { return nil }
    throw response.recording(RESTError(unacceptable: response))
  }

  /// The wait after a failure that a refused token caused; nil if the failure is to be delivered.
  ///
  /// A refused response in pieces arrives as a failure: nothing of it is delivered.
  func wait(
    after error: any Error, to binding: SessionBinding
  ) -> (CredentialWait, refused: RESTResponse)? {
    guard let error = error as? RESTError, case .status = error.kind, let head = error.response,
      let request = error.request, let credential = session.credential(of: head.departure)
    else { return nil }
    let response = RESTResponse(head: head, data: error.body ?? .init(), request: request)
    guard credential.refusals.refuses(response) else { return nil }
    return renewal(of: credential, refusedBy: head.statusCode, to: binding)
      .map { ($0, response) }
  }

  /// The failure of a call whose token was refused and not renewed.
  ///
  /// Without a refresh token, only the server's response says what is wrong.
  static func failure(_ error: any Error, afterRefusal refused: RESTResponse) -> any Error {
    guard case TokenSessionError.refreshRefused(RefreshError.noRefreshToken) = error else {
      return error
    }
    return TokenSessionError.refreshRefused(
      RESTError(unacceptable: refused).replacing(underlyingError: RefreshError.noRefreshToken))
  }

  /// - Parameters:
  ///   - granted: The credential that the request has waited for; nil if it has not waited.
  ///   - isRepeated: Whether the request was already sent and refused.
  private func send(
    as span: SignInSpan, after granted: IssuedCredential? = nil, isRepeated: Bool = false
  ) -> Step {
    // Another request of the call, or an attempt of a retry, finds whether another user is signed
    // in.
    guard call.admits(span, of: span.session) else { return .fail(.signedOut) }
    scopedCall.scope?.note(span)
    return .send(
      SessionBinding(
        to: session, for: call, as: span, after: granted, isRepetition: isRepeated))
  }

  /// The wait for another credential after a refusal.
  ///
  /// Returns nil if the call already had its refresh and this request already used the result.
  private func renewal(
    of credential: IssuedCredential, refusedBy status: Int, to binding: SessionBinding
  ) -> CredentialWait? {
    session.noteRefusal(of: credential)
    // A renewal by another scope or another call meanwhile is not a second refresh.
    let isReplaced = status == 401 && !binding.isRepetition && session.hasReplaced(credential)
    guard !call.hasRefreshed || isReplaced else { return nil }
    return CredentialWait(for: call, after: credential, in: session)
  }
}

/// A session that authorizes a request and its redirects as one user, with the token of the moment
/// at which each leaves.
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
  /// The credential that the call has waited for before its request was made; nil if it has not
  /// waited.
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
  /// A request that the user's modifier authorized keeps its authorization. A request that the
  /// modifier sent to another origin than the API's gets no token.
  ///
  /// - Throws: ``TokenSessionError/signedOut`` if the user is signed out.
  ///
  /// - Parameter api: The base URL of the API whose verb made the request.
  func authorizes(
    _ request: URLRequest, ofAPIAt api: String
  ) throws(TokenSessionError) -> Bool {
    guard let url = request.url,
      Origin.goesOn(url.absoluteString, after: api) || Origin(url) == Origin(ofBaseURL: api)
    else { return false }
    guard !span.isOver else { throw .signedOut }
    return !request.hasField("Authorization")
  }

  /// The credential of the user at this moment, also if it has expired; nil if there is none.
  var credential: Credential? {
    session.machine.withLock { machine in
      machine.current.flatMap { $0.span === span ? $0.credential : nil }
    }
  }

  /// Puts the token of this moment on a request that is just built, if there is one.
  ///
  /// Most requests leave at once. A request that is held once is changed in place, while a copy of
  /// it for the token costs more than all else of a session. A request that waits gets another
  /// token if it needs one.
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

  /// Returns the credential for a request that a wait has just ended for.
  ///
  /// Those that waited go on one behind another. The server may have refused the credential of one
  /// before the next one leaves, and the session renewed it.
  ///
  /// - Parameter granted: What the wait brought. It counts even if it is due at once, so that a
  ///   request does not wait for ever.
  func grant(atEndOfWait granted: IssuedCredential) -> Grant {
    let now = session.now
    guard let newest = session.machine.withLock({ $0.usable(at: now) }), newest.span === span else {
      return grant(granted)
    }
    return grant(newest)
  }

  /// Returns a credential, unless it is another user's.
  private func grant(_ credential: IssuedCredential) -> Grant {
    credential.span === span && !span.isOver ? .credential(credential) : .signedOut
  }

  /// Whether a response, perhaps still without its body, refuses the credential that it answers,
  /// and so is not the result.
  ///
  /// After the call's refresh, only a 401 counts: any other response that a rule names passes to
  /// the caller.
  func isRefused(by response: RESTResponse) -> Bool {
    refuses(response) && (response.statusCode == 401 || !call.hasRefreshed)
  }

  /// Whether a response refuses the credential that it answers.
  func refuses(_ response: RESTResponse) -> Bool {
    session.credential(of: response.departure)?.refusals.refuses(response) ?? false
  }
}

extension Origin {
  /// Whether a URL begins with the API's base URL, byte by byte, as almost every URL does.
  ///
  /// A comparison of two origins costs as much as the rest of a call.
  static func goesOn(_ url: String, after api: String) -> Bool {
    let goesOn = url.utf8.withContiguousStorageIfAvailable { url in
      api.utf8.withContiguousStorageIfAvailable { api in
        guard url.count >= api.count else { return false }
        for place in api.indices where url[place] != api[place] { return false }
        let slash = UInt8(ascii: "/")
        return api.last == slash || url.count > api.count && url[api.count] == slash
      }
    }
    return (goesOn ?? nil) ?? false
  }

  fileprivate init?(ofBaseURL text: String) {
    guard let url = URL(string: text) else { return nil }
    self.init(url)
  }
}
