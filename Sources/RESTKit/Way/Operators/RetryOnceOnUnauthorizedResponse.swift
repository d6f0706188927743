import Streams

extension Publisher where Output == RESTResponse, Failure == any Error {
  /// Runs another request, usually a refresh, if the response is 401, and then sends this request
  /// once more.
  ///
  /// The operator waits for the completion of the chained request and ignores its response. A
  /// failure of the chained request becomes the failure of this publisher. A second 401 is final:
  /// it fails with ``RESTError`` of kind `status(401)`, which keeps the response. Any other
  /// response passes.
  ///
  /// The chained request stays at its origin. A redirect to another origin fails it, since a
  /// refresh carries a credential in its body.
  ///
  /// The log of the call shows the wait as a wait for a refresh, and the second request as its
  /// second attempt. The chained request is a call of its own. A `modifyRequest` downstream of this
  /// operator applies to it as well; one between the verb and this operator does not.
  ///
  /// - Parameter chainedRequest: The request that runs when the response is 401. Afterwards this
  ///   request is sent again, and its modifier runs again.
  public func retryOnceOnUnauthorizedResponse<Chained: Publisher>(
    chainedRequest: Chained
  ) -> AnyPublisher<RESTResponse, any Error> where Chained.Failure == any Error {
    let request = eraseToAnyPublisher()
    let refresh: AnyPublisher<RESTResponse, any Error> =
      chainedRequest.ignoreOutput().map(impossible).eraseToAnyPublisher()
    return DeferredInContext { context in
      let call = context.call ?? LogicalCall(under: context.options.deadline, in: context)
      let (scope, inside) = context.beginningScope(of: call)
      let resent = ResentCall(
        request: request, refresh: refresh, call: call, scope: scope, context: inside)
      return Relay(resent.send(.firstRequest), ending: call, in: context)
    }
    .eraseToAnyPublisher()
  }
}

/// A request, its refresh after a 401, and the repeated request.
private struct ResentCall: Sendable {
  let request: AnyPublisher<RESTResponse, any Error>
  let refresh: AnyPublisher<RESTResponse, any Error>
  let call: LogicalCall
  let scope: CallScope
  /// The context that the request receives.
  let context: SubscriptionContext

  func send(_ step: ResendingRule.Step) -> RelayLeg<ResendingRule> {
    RelayLeg(request, rule: ResendingRule(owner: self, step: step), context: context)
  }

  func runRefresh() -> RelayLeg<ResendingRule> {
    call.journal.record(.joinedRefresh(1))
    return RelayLeg(
      refresh, rule: ResendingRule(owner: self, step: .refresh),
      context: context.setting(ScopedCall.Key.self, to: nil)
        .setting(CallJournal.ParentKey.self, to: call.journal)
        .setting(RedirectBound.Key.self, to: .origin)
        .setting(context.options.ofChainedRequest))
  }
}

private struct ResendingRule: RelayRule {
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
      owner.call.beginRepetition(of: owner.scope, cause: .refresh)
      return owner.send(.lastRequest)
    default:
      return nil
    }
  }
}
