import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a verb asks for, and the form in which it delivers the response: the same for each
/// subscription.
///
/// `Rule` is the rule of what is sent, its redirects, if it is part of the verb's stage.
struct Verb<Rule: RelayRule>: Sendable {
  typealias Send =
    @Sendable (consuming RequestPlan, URLRequest, RequestBody?) throws -> RequestUnderway<Rule>

  /// Reads the properties of the API, for one subscription.
  let way: @Sendable (SubscriptionContext) -> Way
  let draft: RequestDraft
  /// Sends the request along the rest of the way.
  let send: Send
  /// Returns the response that an output is, or whose head it is; nil for another output.
  let response: @Sendable (Rule.Output) -> RESTResponse?
}

/// A request on its way.
struct RequestUnderway<Rule: RelayRule>: Sendable {
  let outputs: AnyPublisher<Rule.Output, any Error>
  /// The rule for the outputs; nil if they need none.
  let rule: Rule?
  /// What a transport in whose line the request waits asks for its head again; nil for nothing.
  ///
  /// It belongs into the context of the outputs. A stage that has their context anyway adds it at
  /// less cost than a publisher.
  let lastLook: LastLook?

  init(
    _ outputs: AnyPublisher<Rule.Output, any Error>, rule: Rule? = nil, lastLook: LastLook? = nil
  ) {
    self.outputs = outputs
    self.rule = rule
    self.lastLook = lastLook
  }

  init(_ leg: RelayLeg<Rule>) {
    self.init(leg.publisher, rule: leg.rule)
  }

  /// The outputs under the rule.
  var publisher: AnyPublisher<Rule.Output, any Error> {
    let known =
      lastLook.map { outputs.context(LastLook.Key.self, $0).eraseToAnyPublisher() } ?? outputs
    return rule.map { Relay(RelayLeg(known, rule: $0)).eraseToAnyPublisher() } ?? known
  }

  /// Subscribes to the outputs of a request without a session under the rule, without a publisher
  /// for it.
  func receive(subscriber: AnySubscriber<Rule.Output, any Error>) {
    if let rule {
      Relay(RelayLeg(outputs, rule: rule)).receive(subscriber: subscriber)
    } else {
      outputs.receive(subscriber: subscriber)
    }
  }

  /// The context of the outputs in another context.
  func context(within context: SubscriptionContext) -> SubscriptionContext {
    lastLook.map { context.setting(LastLook.Key.self, to: $0) } ?? context
  }
}

/// A rule that lets everything pass.
struct Unruled<Output: Sendable>: RelayRule {
  func successor(of value: inout Output) -> RelayLeg<Self>? { nil }

  func successor(after end: Subscribers.Completion<any Error>) -> RelayLeg<Self>? { nil }
}
