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
  /// Reads the properties of the API, for one subscription.
  let way: @Sendable (SubscriptionContext) -> Way
  let draft: RequestDraft
  /// Sends the request along the rest of the way.
  let send:
    @Sendable (consuming RequestPlan, URLRequest, RequestBody?) throws -> RequestUnderway<Rule>
  /// Returns the response that an output is, or whose head it is; nil for another output.
  let response: @Sendable (Rule.Output) -> RESTResponse?
}

/// A request on its way.
struct RequestUnderway<Rule: RelayRule>: Sendable {
  let outputs: AnyPublisher<Rule.Output, any Error>
  /// The rule for the outputs; nil if they need none.
  let rule: Rule?

  init(_ outputs: AnyPublisher<Rule.Output, any Error>) {
    self.outputs = outputs
    rule = nil
  }

  init(_ leg: RelayLeg<Rule>) {
    outputs = leg.publisher
    rule = leg.rule
  }

  /// The outputs under the rule.
  var publisher: AnyPublisher<Rule.Output, any Error> {
    rule.map { Relay(RelayLeg(outputs, rule: $0)).eraseToAnyPublisher() } ?? outputs
  }

  /// Subscribes to the outputs under the rule, without a publisher for it.
  func receive(subscriber: AnySubscriber<Rule.Output, any Error>) {
    if let rule {
      Relay(RelayLeg(outputs, rule: rule)).receive(subscriber: subscriber)
    } else {
      outputs.receive(subscriber: subscriber)
    }
  }
}

/// A rule that lets everything pass.
struct Unruled<Output: Sendable>: RelayRule {
  func successor(of value: inout Output) -> RelayLeg<Self>? { nil }

  func successor(after end: Subscribers.Completion<any Error>) -> RelayLeg<Self>? { nil }
}
