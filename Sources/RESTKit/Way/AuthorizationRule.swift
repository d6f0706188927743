import Streams

/// The current step of an authorized request, and the step that follows it.
///
/// The rule of what is sent, its redirects, is part of the same stage: one more stage costs a tenth
/// of a call.
struct AuthorizationRule<Rule: RelayRule>: RelayRule {
  typealias Output = Rule.Output

  private enum Step {
    /// - Parameter refused: The response that refused the token; nil if nothing was sent.
    case waiting(CredentialWait, refused: RESTResponse?)
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
  consuming func leg(to step: AuthorizedRequest.Step) -> RelayLeg<Self> {
    switch step {
    case .wait(let wait, let refused):
      return leg(wait.publisher(), .waiting(wait, refused: refused), in: nil)
    case .send(let binding):
      let underway = send(binding)
      let context = underway.context(within: request.context)
      return leg(underway.outputs, .sent(binding, underway.rule), in: context)
    case .fail(let error):
      return leg(Fail<Output, any Error>(error: error).eraseToAnyPublisher(), .failed, in: nil)
    }
  }

  private consuming func leg(
    _ outputs: AnyPublisher<Output, any Error>, _ step: Step, in context: SubscriptionContext?
  ) -> RelayLeg<Self> {
    self.step = step
    return RelayLeg(outputs, rule: self, context: context)
  }

  func successor(of output: inout Output) throws -> RelayLeg<Self>? {
    guard case .sent(let binding, let rule) = step else { return nil }
    if let next = try rule?.successor(of: &output) {
      return leg(next.publisher, .sent(binding, next.rule), in: request.context)
    }
    guard let response = response(output),
      let wait = try request.wait(after: response, to: binding)
    else { return nil }
    return leg(to: .wait(wait, refused: response))
  }

  func successor(after end: Subscribers.Completion<any Error>) throws -> RelayLeg<Self>? {
    switch (step, end) {
    case (.waiting(let wait, let refused), .finished):
      return request.step(after: wait, isRenewal: refused != nil).map { leg(to: $0) }
    case (.waiting(_, let refused?), .failure(let error)):
      throw AuthorizedRequest.failure(error, afterRefusal: refused)
    case (.sent(let binding, let rule), _):
      do {
        if let next = try rule?.successor(after: end) {
          return leg(next.publisher, .sent(binding, next.rule), in: request.context)
        }
        if case .failure(let error) = end { throw error }
        return nil
      } catch {
        guard let (wait, refused) = request.wait(after: error, to: binding) else { throw error }
        return leg(to: .wait(wait, refused: refused))
      }
    default:
      return nil
    }
  }
}
