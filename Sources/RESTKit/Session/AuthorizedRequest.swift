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
final class AuthorizedRequest<Output: Sendable>: Sendable {
  /// Builds and sends the request for a user, as a part of the call that may be sent again.
  typealias Rest = @Sendable (SessionBinding, CallPart) -> AnyPublisher<Output, any Error>

  fileprivate let session: TokenSession
  fileprivate let call: LogicalCall
  fileprivate let ledger: PartLedger
  private let context: SubscriptionContext
  private let rest: Rest
  fileprivate let response: @Sendable (Output) -> RESTResponse?

  /// - Parameters:
  ///   - context: The subscriber's context.
  ///   - response: Returns the response that an output is, or whose head it is; nil for another output.
  init(
    session: TokenSession, call: LogicalCall, in context: SubscriptionContext,
    response: @escaping @Sendable (Output) -> RESTResponse?, rest: @escaping Rest
  ) {
    self.session = session
    self.call = call
    (ledger, self.context) = context.beginningPart(of: call)
    self.response = response
    self.rest = rest
  }

  /// The first step.
  var first: RelayLeg<AuthorizedTurn<Output>> {
    // The request belongs to the user who is signed in now, however long it waits. The token is put on when
    // the request leaves.
    if let span = session.span { return send(as: span) }
    return wait(CredentialWait(for: call, in: session))
  }

  /// The end of a request that its own session's refresh makes, and which would wait for itself.
  var refused: RelayLeg<AuthorizedTurn<Output>> { fail(with: .refreshNeedsItself) }

  private func fail(with error: TokenSessionError) -> RelayLeg<AuthorizedTurn<Output>> {
    let failure = Fail<Output, any Error>(error: error)
    return RelayLeg(failure.eraseToAnyPublisher(), rule: AuthorizedTurn(of: self, .failed))
  }

  fileprivate func wait(_ wait: CredentialWait) -> RelayLeg<AuthorizedTurn<Output>> {
    RelayLeg(
      CredentialWaiting(wait: wait).eraseToAnyPublisher(),
      rule: AuthorizedTurn(of: self, .waiting(wait)))
  }

  /// - Parameters:
  ///   - granted: The credential that the request has waited for; nil if it has not waited.
  ///   - isRepeated: Whether the request was already sent and refused.
  fileprivate func send(
    as span: SignInSpan, after granted: IssuedCredential? = nil, isRepeated: Bool = false
  ) -> RelayLeg<AuthorizedTurn<Output>> {
    // Another request of the call, or an attempt of a retry, finds whether another user is signed in.
    guard call.admits(span, of: span.session) else { return fail(with: .signedOut) }
    let binding = SessionBinding(
      to: session, for: call, as: span, after: granted, isRepetition: isRepeated)
    let part = CallPart(of: call, ledger: ledger)
    return RelayLeg(
      Deferred { [rest] in rest(binding, part) }.eraseToAnyPublisher(),
      rule: AuthorizedTurn(of: self, .sent(isRepeated: isRepeated)), context: context)
  }
}

/// The current step of an authorized request, and the step that follows it.
struct AuthorizedTurn<Output: Sendable>: RelayRule {
  enum Step {
    case waiting(CredentialWait)
    case sent(isRepeated: Bool)
    case failed
  }

  private let owner: AuthorizedRequest<Output>
  private let step: Step

  fileprivate init(of owner: AuthorizedRequest<Output>, _ step: Step) {
    self.owner = owner
    self.step = step
  }

  private var session: TokenSession { owner.session }
  private var call: LogicalCall { owner.call }

  func successor(of output: inout Output) throws -> RelayLeg<Self>? {
    // A cached response says nothing about the token.
    guard case .sent(let isRepeated) = step, let response = owner.response(output),
      !response.isFromCache, let credential = session.credential(answeredBy: response.head)
    else { return nil }
    guard credential.refusals.refuses(response) else {
      if response.statusCode < 500 { credential.noteAccepted() }
      return nil
    }
    let status = response.statusCode
    if let next = renewal(of: credential, refusedBy: status, isRepeated: isRepeated) { return next }
    guard status == 401 else { return nil }
    throw response.recording(RESTError(unacceptable: response))
  }

  func successor(after end: Subscribers.Completion<any Error>) -> RelayLeg<Self>? {
    switch (step, end) {
    case (.waiting(let wait), .finished):
      guard let credential = wait.credential else { return nil }
      if wait.isRenewal {
        // A renewal by another call also counts as this call's refresh.
        if credential.isRenewed { _ = call.takeRefresh() }
        call.beginRepetition(of: owner.ledger, cause: .refresh)
      }
      return owner.send(as: credential.span, after: credential, isRepeated: wait.isRenewal)
    case (.sent(let isRepeated), .failure(let error)):
      return refusal(by: error).flatMap {
        renewal(of: $0.credential, refusedBy: $0.status, isRepeated: isRepeated)
      }
    default:
      return nil
    }
  }

  /// Continues with another credential after a refusal.
  ///
  /// Returns nil if the call already had its refresh and this request already used the result.
  private func renewal(
    of credential: IssuedCredential, refusedBy status: Int, isRepeated: Bool
  ) -> RelayLeg<Self>? {
    session.noteRefusal(of: credential)
    // A renewal by another part or another call meanwhile is not a second refresh.
    let isReplaced = status == 401 && !isRepeated && session.hasReplaced(credential)
    guard !call.hasRefreshed || isReplaced else { return nil }
    return owner.wait(CredentialWait(for: call, after: credential, in: session))
  }

  /// The credential that a response refuses, and its status.
  ///
  /// A refused response in pieces arrives as a failure: nothing of it is delivered.
  private func refusal(by error: any Error) -> (credential: IssuedCredential, status: Int)? {
    guard let error = error as? RESTError, case .status = error.kind, let head = error.response,
      let request = error.request, let credential = session.credential(answeredBy: head)
    else { return nil }
    let response = RESTResponse(head: head, data: error.body ?? .init(), request: request)
    return credential.refusals.refuses(response) ? (credential, head.statusCode) : nil
  }
}
