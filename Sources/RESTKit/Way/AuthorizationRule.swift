import Streams

/// The current step of an authorized request, and the step that follows it.
///
/// The rule of what is sent, its redirects, is part of the same stage: one more stage costs a tenth
/// of a call.
struct AuthorizationRule<Rule: RelayRule>: RelayRule {
  typealias Output = Rule.Output

  private enum Step {
    case waiting(CredentialWait, isRenewal: Bool)
    case sent(SessionBinding, Rule?)
    case failed
  }

  private let request: AuthorizedRequest
  /// Builds and sends the request for a user.
  private let send: @Sendable (SessionBinding) -> RequestUnderway<Rule>
  /// Returns the response that an output is, or whose head it is; nil for another output.
  private let response: @Sendable (Output) -> RESTResponse?
  private var step = Step.failed

  init(
    of request: AuthorizedRequest, response: @escaping @Sendable (Output) -> RESTResponse?,
    send: @escaping @Sendable (SessionBinding) -> RequestUnderway<Rule>
  ) {
    self.request = request
    self.response = response
    self.send = send
  }

  /// The leg of a step, to be subscribed to once and at once: a request is built and counted now.
  func leg(to step: AuthorizedRequest.Step) -> RelayLeg<Self> {
    switch step {
    case .wait(let wait, let isRenewal):
      return leg(wait.publisher(), .waiting(wait, isRenewal: isRenewal), in: nil)
    case .send(let binding):
      let underway = send(binding)
      return leg(underway.outputs, .sent(binding, underway.rule), in: request.context)
    case .fail(let error):
      return leg(Fail<Output, any Error>(error: error).eraseToAnyPublisher(), .failed, in: nil)
    }
  }

  private func leg(
    _ outputs: AnyPublisher<Output, any Error>, _ step: Step, in context: SubscriptionContext?
  ) -> RelayLeg<Self> {
    var next = self
    next.step = step
    return RelayLeg(outputs, rule: next, context: context)
  }

  func successor(of output: inout Output) throws -> RelayLeg<Self>? {
    guard case .sent(let binding, let rule) = step else { return nil }
    if let next = try rule?.successor(of: &output) {
      return leg(next.publisher, .sent(binding, next.rule), in: request.context)
    }
    guard let response = response(output),
      let wait = try request.wait(after: response, to: binding)
    else { return nil }
    return leg(to: .wait(wait, isRenewal: true))
  }

  func successor(after end: Subscribers.Completion<any Error>) throws -> RelayLeg<Self>? {
    switch (step, end) {
    case (.waiting(let wait, let isRenewal), .finished):
      return request.step(after: wait, isRenewal: isRenewal).map { leg(to: $0) }
    case (.sent(let binding, let rule), _):
      do {
        if let next = try rule?.successor(after: end) {
          return leg(next.publisher, .sent(binding, next.rule), in: request.context)
        }
        if case .failure(let error) = end { throw error }
        return nil
      } catch {
        guard let wait = request.wait(after: error, to: binding) else { throw error }
        return leg(to: .wait(wait, isRenewal: true))
      }
    default:
      return nil
    }
  }
}
