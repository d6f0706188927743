import Foundation
import Streams

/// A call that waits for its credential, and repeats its request once if the credential was refused.
///
/// The request's type is already erased: code that is generic over it would not be specialized here.
final class AuthorizedCall<Output: Sendable>: Sendable {
  fileprivate let session: TokenSession
  fileprivate let call: LogicalCall
  fileprivate let scope: CallScope
  /// The context of the request, without the credential.
  private let context: SubscriptionContext
  private let request: AnyPublisher<Output, any Error>
  fileprivate let verdict: @Sendable (Output) -> TokenVerdict

  /// - Parameters:
  ///   - context: The subscriber's context.
  ///   - verdict: Returns the conclusion about the token that an output permits.
  init(
    session: TokenSession, call: LogicalCall, in context: SubscriptionContext,
    request: AnyPublisher<Output, any Error>,
    verdict: @escaping @Sendable (Output) -> TokenVerdict
  ) {
    self.session = session
    self.call = call
    (scope, self.context) = context.beginningScope(of: call)
    self.request = request
    self.verdict = verdict
  }

  /// The first step of the call.
  var first: RelayLeg<AuthorizedTurn<Output>> {
    // The call belongs to the user who is signed in now, however long it waits and however often it is
    // retried. The token is put on when the request leaves.
    if let span = session.span { return send(as: span) }
    return wait(CredentialWait(for: call, in: session))
  }

  /// The end of a call that its own session's refresh makes.
  var refused: RelayLeg<AuthorizedTurn<Output>> { fail(with: .refreshNeedsItself) }

  private func fail(with error: TokenSessionError) -> RelayLeg<AuthorizedTurn<Output>> {
    let failure = Fail<Output, any Error>(error: error)
    return RelayLeg(failure.eraseToAnyPublisher(), rule: AuthorizedTurn(of: self, .refused))
  }

  fileprivate func wait(
    _ wait: CredentialWait, isRenewal: Bool = false
  ) -> RelayLeg<AuthorizedTurn<Output>> {
    RelayLeg(
      wait.publisher(), rule: AuthorizedTurn(of: self, .waiting(wait, isRenewal: isRenewal)))
  }

  /// - Parameters:
  ///   - granted: The credential that the call has waited for; nil if it has not waited.
  ///   - isRepeated: Whether the request was already sent and refused.
  fileprivate func send(
    as span: SignInSpan, after granted: IssuedCredential? = nil, isRepeated: Bool = false
  ) -> RelayLeg<AuthorizedTurn<Output>> {
    // An attempt of a retry downstream checks again which user is signed in.
    guard call.admits(span, of: span.session) else { return fail(with: .signedOut) }
    let binding = SessionBinding(
      to: session, for: call, as: span, after: granted, isRepetition: isRepeated)
    return RelayLeg(
      request, rule: AuthorizedTurn(of: self, .sent(binding)),
      context: context.setting(SessionBinding.Key.self, to: binding))
  }
}

/// The current step of an authorized call, and the step that follows it.
struct AuthorizedTurn<Output: Sendable>: RelayRule {
  enum Step {
    /// - Parameter isRenewal: Whether the call's request was already sent and refused.
    case waiting(CredentialWait, isRenewal: Bool)
    case sent(SessionBinding)
    case refused
  }

  private let owner: AuthorizedCall<Output>
  private let step: Step

  fileprivate init(of owner: AuthorizedCall<Output>, _ step: Step) {
    self.owner = owner
    self.step = step
  }

  private var session: TokenSession { owner.session }
  private var call: LogicalCall { owner.call }

  func successor(of output: inout Output) throws -> RelayLeg<Self>? {
    guard case .sent(let binding) = step else { return nil }
    let response: RESTResponse
    switch owner.verdict(output) {
    case .open: return nil
    case .accepted:
      binding.carried?.noteAccepted()
      return nil
    case .answered(let answer):
      // A cached response says nothing about the token.
      guard !answer.isFromCache else { return nil }
      response = answer
    }
    guard let credential = session.credential(answeredBy: response.head) else { return nil }
    guard credential.refusals.refuses(response) else {
      if response.statusCode < 500 { credential.noteAccepted() }
      return nil
    }
    let status = response.statusCode
    if let next = renewal(of: credential, refusedBy: status, isRepeated: binding.isRepetition) {
      return next
    }
    guard status == 401 else { return nil }
    throw response.recording(RESTError(unacceptable: response))
  }

  func successor(after end: Subscribers.Completion<any Error>) -> RelayLeg<Self>? {
    switch (step, end) {
    case (.waiting(let wait, let isRenewal), .finished):
      guard let credential = wait.take() else { return nil }
      if isRenewal {
        // A renewal by another call also counts as this call's refresh.
        if credential.isRenewed { _ = call.takeRefresh() }
        call.beginRepetition(of: owner.scope, cause: .refresh)
      }
      return owner.send(as: credential.span, after: credential, isRepeated: isRenewal)
    case (.sent(let binding), .failure(let error)):
      return refusal(by: error).flatMap {
        renewal(of: $0.credential, refusedBy: $0.status, isRepeated: binding.isRepetition)
      }
    default:
      return nil
    }
  }

  /// Continues with another credential after a refusal.
  ///
  /// Returns nil if the call already had its refresh and this scope already used the result.
  private func renewal(
    of credential: IssuedCredential, refusedBy status: Int, isRepeated: Bool
  ) -> RelayLeg<Self>? {
    session.noteRefusal(of: credential)
    // A renewal by another scope or another call meanwhile is not a second refresh.
    let isReplaced = status == 401 && !isRepeated && session.hasReplaced(credential)
    guard !call.hasRefreshed || isReplaced else { return nil }
    return owner.wait(CredentialWait(for: call, after: credential, in: session), isRenewal: true)
  }

  /// The credential that a response refuses, and its status, if an upstream stage such as `validateStatus`
  /// turned the response into a failure.
  private func refusal(by error: any Error) -> (credential: IssuedCredential, status: Int)? {
    guard let error = error as? RESTError, case .status = error.kind, let head = error.response,
      let request = error.request, let credential = session.credential(answeredBy: head)
    else { return nil }
    let response = RESTResponse(head: head, data: error.body ?? .init(), request: request)
    return credential.refusals.refuses(response) ? (credential, head.statusCode) : nil
  }
}

/// The conclusion about a request's token that an output permits.
enum TokenVerdict {
  /// The server's response, which may refuse the token.
  case answered(RESTResponse)
  /// The server accepted the token, since otherwise there would be no such output.
  case accepted
  /// No conclusion yet.
  case open
}
