import Streams

/// A call that waits for its credential, and goes once more where that was refused.
///
/// The request's type is hidden already: what is generic over it would not be specialized here.
final class AuthorizedCall<Output: Sendable>: Sendable {
  fileprivate let session: TokenSession
  fileprivate let call: LogicalCall
  fileprivate let ledger: PartLedger
  /// What the request is given, but for the credential.
  private let context: SubscriptionContext
  private let request: AnyPublisher<Output, any Error>
  fileprivate let verdict: @Sendable (Output) -> TokenVerdict

  /// - Parameters:
  ///   - context: That of the subscriber.
  ///   - verdict: What an output tells of the token.
  init(
    session: TokenSession, call: LogicalCall, in context: SubscriptionContext,
    request: AnyPublisher<Output, any Error>,
    verdict: @escaping @Sendable (Output) -> TokenVerdict
  ) {
    self.session = session
    self.call = call
    (ledger, self.context) = context.beginningPart(of: call)
    self.request = request
    self.verdict = verdict
  }

  /// How the call begins.
  var first: RelayLeg<AuthorizedTurn<Output>> {
    // As a rule there is a token, and nothing to wait for.
    if let credential = session.usableCredential { return send(with: credential) }
    // It goes as who is signed in now, however long it waits, and whatever retries it.
    if let span = session.span, !call.admits(span, of: span.session) {
      return fail(with: .signedOut)
    }
    return wait(CredentialWait(for: call, in: session))
  }

  /// The end of a call that the refresh of its own session makes.
  var refused: RelayLeg<AuthorizedTurn<Output>> { fail(with: .refreshNeedsItself) }

  private func fail(with error: TokenSessionError) -> RelayLeg<AuthorizedTurn<Output>> {
    let failure = Fail<Output, any Error>(error: error)
    return RelayLeg(failure.eraseToAnyPublisher(), rule: AuthorizedTurn(of: self, .refused))
  }

  fileprivate func wait(_ wait: CredentialWait) -> RelayLeg<AuthorizedTurn<Output>> {
    RelayLeg(
      CredentialWaiting(wait: wait).eraseToAnyPublisher(),
      rule: AuthorizedTurn(of: self, .waiting(wait)))
  }

  /// - Parameter isRepeated: Whether the request was sent and refused before.
  fileprivate func send(
    with credential: IssuedCredential, isRepeated: Bool = false
  ) -> RelayLeg<AuthorizedTurn<Output>> {
    // An attempt of a retry downstream asks anew who is signed in.
    guard call.admits(credential.span, of: credential.span.session) else {
      return fail(with: .signedOut)
    }
    return RelayLeg(
      request, rule: AuthorizedTurn(of: self, .sent(credential, isRepeated: isRepeated)),
      context: context.setting(CredentialKey.self, to: credential))
  }
}

/// What an authorized call does at a time, and what follows from that.
struct AuthorizedTurn<Output: Sendable>: RelayRule {
  enum Step {
    case waiting(CredentialWait)
    case sent(IssuedCredential, isRepeated: Bool)
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
  private var part: CallPart { CallPart(of: owner.call, ledger: owner.ledger) }

  func successor(of output: inout Output) throws -> RelayLeg<Self>? {
    guard case .sent(let credential, let isRepeated) = step else { return nil }
    let response: RESTResponse
    switch owner.verdict(output) {
    case .open: return nil
    case .accepted:
      credential.noteAccepted()
      return nil
    case .answered(let answer):
      // What was kept tells nothing of the token.
      guard !answer.isFromCache else { return nil }
      response = answer
    }
    guard credential.refuses(response, in: part) else {
      if response.statusCode < 500, !credential.wasAccepted, credential.wasCarried(by: part) {
        credential.noteAccepted()
      }
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
        // What somebody else renewed is a refresh for this call, too.
        if credential.isRenewed { _ = call.takeRefresh() }
        call.beginRepetition(of: owner.ledger, cause: .refresh)
      }
      return owner.send(with: credential, isRepeated: wait.isRenewal)
    case (.sent(let credential, let isRepeated), .failure(let error)):
      return refusal(by: error, of: credential).flatMap {
        renewal(of: credential, refusedBy: $0, isRepeated: isRepeated)
      }
    default:
      return nil
    }
  }

  /// Goes on with another credential where one was refused; nil where the call has had its refresh, and
  /// this part of it what that brought.
  private func renewal(
    of credential: IssuedCredential, refusedBy status: Int, isRepeated: Bool
  ) -> RelayLeg<Self>? {
    session.noteRefusal(of: credential)
    // What a part beside this one, or another call, had renewed meanwhile is no second refresh.
    let isReplaced = status == 401 && !isRepeated && session.hasReplaced(credential)
    guard !call.hasRefreshed || isReplaced else { return nil }
    return owner.wait(CredentialWait(for: call, after: credential, in: session))
  }

  /// The status of a response that refuses the credential, which a stage before this one, such as
  /// `validateStatus`, took for a failure.
  private func refusal(by error: any Error, of credential: IssuedCredential) -> Int? {
    guard let error = error as? RESTError, case .status = error.kind, let head = error.response,
      let request = error.request
    else { return nil }
    let response = RESTResponse(head: head, data: error.body ?? .init(), request: request)
    return credential.refuses(response, in: part) ? head.statusCode : nil
  }
}

/// What an output tells of the token that its request carried.
enum TokenVerdict {
  /// The server's answer, which may refuse it.
  case answered(RESTResponse)
  /// It was taken: there would be no such output otherwise.
  case accepted
  /// Nothing yet.
  case open
}
