import Foundation
import Streams

/// The session step of a request: it waits until there is a user, and asks again once if the token was
/// refused.
///
///     user known? ── no ──▶ wait for a credential
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
/// The step fixes the user, and the rest of the way puts that user's token on as the request leaves.
final class AuthorizedRequest: Sendable {
  enum Step {
    /// - Parameter isRenewal: Whether the request was already sent and refused.
    case wait(CredentialWait, isRenewal: Bool)
    /// The request is built for a user, and sent.
    case send(SessionBinding)
    case fail(TokenSessionError)
  }

  private let session: TokenSession
  private let call: LogicalCall
  /// The part of the call that is sent again.
  let part: CallPart
  /// The context of the rest of the way.
  let context: SubscriptionContext

  /// - Parameter context: The subscriber's context.
  init(session: TokenSession, call: LogicalCall, in context: SubscriptionContext) {
    self.session = session
    self.call = call
    let (scope, inside) = context.beginningScope(of: call)
    part = CallPart(of: call, scope: scope)
    self.context = inside
  }

  /// The first step.
  ///
  /// The request belongs to the user who is signed in now, however long it waits. The token is put on when
  /// the request leaves.
  ///
  /// - Parameter isCircular: Whether the session's own refresh makes the call, which would wait for itself.
  func first(isCircular: Bool) -> Step {
    guard !isCircular else { return .fail(.refreshNeedsItself) }
    return session.span.map { send(as: $0) } ?? .wait(CredentialWait(for: call, in: session), isRenewal: false)
  }

  /// The step after a wait; nil if the wait brought no credential.
  ///
  /// - Parameter isRenewal: Whether the request was already sent and refused.
  func step(after wait: CredentialWait, isRenewal: Bool) -> Step? {
    guard let credential = wait.take() else { return nil }
    if isRenewal {
      // A renewal by another call also counts as this call's refresh.
      if credential.isRenewed { _ = call.takeRefresh() }
      if let scope = part.scope { call.beginRepetition(of: scope, cause: .refresh) }
    }
    return send(as: credential.span, after: credential, isRepeated: isRenewal)
  }

  /// The wait after a response that refuses its token; nil if the response is to be delivered.
  ///
  /// - Throws: `RESTError` for a 401 that no further token helps.
  func wait(
    after response: RESTResponse, to binding: SessionBinding
  ) throws(RESTError) -> CredentialWait? {
    // A cached response says nothing about the token.
    guard !response.isFromCache, let credential = session.credential(answeredBy: response.head)
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
  func wait(after error: any Error, to binding: SessionBinding) -> CredentialWait? {
    guard let error = error as? RESTError, case .status = error.kind, let head = error.response,
      let request = error.request, let credential = session.credential(answeredBy: head)
    else { return nil }
    let response = RESTResponse(head: head, data: error.body ?? .init(), request: request)
    guard credential.refusals.refuses(response) else { return nil }
    return renewal(of: credential, refusedBy: head.statusCode, to: binding)
  }

  /// - Parameters:
  ///   - granted: The credential that the request has waited for; nil if it has not waited.
  ///   - isRepeated: Whether the request was already sent and refused.
  private func send(
    as span: SignInSpan, after granted: IssuedCredential? = nil, isRepeated: Bool = false
  ) -> Step {
    // Another request of the call, or an attempt of a retry, finds whether another user is signed in.
    guard call.admits(span, of: span.session) else { return .fail(.signedOut) }
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
    // A renewal by another part or another call meanwhile is not a second refresh.
    let isReplaced = status == 401 && !binding.isRepetition && session.hasReplaced(credential)
    guard !call.hasRefreshed || isReplaced else { return nil }
    return CredentialWait(for: call, after: credential, in: session)
  }
}
