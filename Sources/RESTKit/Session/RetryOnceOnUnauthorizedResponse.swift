import Streams

extension Publisher where Output == RESTResponse, Failure == any Error {
  /// When the answer is 401, runs another request, a refresh as a rule, and sends this one once
  /// more.
  ///
  /// The chained request's completion is awaited, whatever it answers, and its failure becomes the
  /// failure here. A second 401 is final: it fails with ``RESTError`` of kind `status(401)`, which keeps
  /// the response. Any other response passes.
  ///
  /// The chained request stays at its origin: a redirect that leads away fails it, since a refresh
  /// carries a credential in its body.
  ///
  /// The log of the call tells of the wait as one for a refresh, and of the second request as its
  /// second attempt. The chained request is a call of its own; what `modifyRequest` says behind this
  /// holds for it, too, and nearer to the verb it does not.
  ///
  /// - Parameter chainedRequest: Runs when the answer is 401, before the request is sent again with
  ///   its modifier run anew.
  public func retryOnceOnUnauthorizedResponse<Chained: Publisher>(
    chainedRequest: Chained
  ) -> AnyPublisher<RESTResponse, any Error> where Chained.Failure == any Error {
    let request = eraseToAnyPublisher()
    let refresh: AnyPublisher<RESTResponse, any Error> =
      chainedRequest.ignoreOutput().map(impossible).eraseToAnyPublisher()
    return DeferredInContext { context in
      let call = context.call ?? LogicalCall(in: context)
      let (ledger, inside) = context.beginningPart(of: call)
      let resent = ResentCall(
        request: request, refresh: refresh, call: call, ledger: ledger, context: inside)
      return Relay(resent.send(.firstRequest), ending: call, in: context)
    }
    .eraseToAnyPublisher()
  }
}

/// A request, its refresh after a 401, and the request once more.
private struct ResentCall: Sendable {
  let request: AnyPublisher<RESTResponse, any Error>
  let refresh: AnyPublisher<RESTResponse, any Error>
  let call: LogicalCall
  let ledger: PartLedger
  /// What the request is given.
  let context: SubscriptionContext

  func send(_ step: ResendingTurn.Step) -> RelayLeg<ResendingTurn> {
    RelayLeg(request, rule: ResendingTurn(owner: self, step: step), context: context)
  }

  func runRefresh() -> RelayLeg<ResendingTurn> {
    call.journal.record(.joinedRefresh(1))
    return RelayLeg(
      refresh, rule: ResendingTurn(owner: self, step: .refresh),
      context: context.setting(CallPart.Key.self, to: nil)
        .setting(CallJournal.ParentKey.self, to: call.journal)
        .setting(IsRetried.self, to: false)
        .setting(CredentialKey.self, to: nil)
        .setting(CacheWish.Key.self, to: nil)
        .setting(RedirectBound.Key.self, to: .origin))
  }
}

private struct ResendingTurn: RelayRule {
  enum Step {
    case firstRequest, refresh, lastRequest
  }

  let owner: ResentCall
  let step: Step

  func successor(of response: inout RESTResponse) throws -> RelayLeg<Self>? {
    guard response.statusCode == 401 else { return nil }
    if step == .firstRequest { return owner.runRefresh() }
    throw response.recording(RESTError(unacceptable: response))
  }

  func successor(after end: Subscribers.Completion<any Error>) -> RelayLeg<Self>? {
    switch (step, end) {
    case (.firstRequest, .failure(let error)):
      return (error as? RESTError)?.isUnauthorized == true ? owner.runRefresh() : nil
    case (.refresh, .finished):
      owner.call.journal.record(.refreshed(1))
      owner.call.beginRepetition(of: owner.ledger, cause: .refresh)
      return owner.send(.lastRequest)
    default:
      return nil
    }
  }
}
