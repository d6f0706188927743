/// Puts a leg's values into the stream as its rule says.
///
/// An object, since a hidden subscriber is captured twice: so that costs two references.
@usableFromInline final class RelayRunner<Rule: RelayRule, Downstream: Subscriber>: Subscriber
where Downstream.Input == Rule.Output, Downstream.Failure == any Error {
  @usableFromInline typealias Input = Rule.Output
  @usableFromInline typealias Failure = any Error

  @usableFromInline let mark = LiveMark(.relayRunner)
  @usableFromInline let source: RelaySource<Downstream>
  @usableFromInline let rule: Rule
  @usableFromInline let context: SubscriptionContext

  @inlinable init(_ rule: Rule, source: RelaySource<Downstream>, context: SubscriptionContext) {
    self.source = source
    self.rule = rule
    self.context = context
  }

  /// Subscribes a leg, unless the stream is over.
  @inlinable static func follow(
    _ leg: RelayLeg<Rule>, of relay: SubscriptionRelay<Downstream>
  ) {
    guard let source = relay.nextSource() else { return }
    leg.publisher.receive(
      subscriber: RelayRunner(
        leg.rule, source: source, context: leg.context ?? relay.downstream.context))
  }

  @inlinable func receive(subscription: any Subscription) {
    source.admit(subscription)
  }

  @inlinable func receive(_ input: Rule.Output) -> Subscribers.Demand {
    guard source.admitsValue else { return .none }
    var value = input
    do {
      guard let next = try rule.successor(of: &value) else { return source.send(value) }
      if source.abort() { handOver(to: next) }
    } catch {
      if source.abort() { finish(.failure(error)) }
    }
    return .none
  }

  @inlinable func receive(completion: Subscribers.Completion<any Error>) {
    guard source.end() else { return }
    do {
      if let next = try rule.successor(after: completion) {
        handOver(to: next)
      } else {
        finish(completion)
      }
    } catch {
      finish(.failure(error))
    }
  }

  @inlinable func finish(_ completion: Subscribers.Completion<any Error>) {
    if source.relay.driver.end(with: completion) {
      source.downstream.receive(completion: completion)
    }
  }

  @inlinable func handOver(to leg: RelayLeg<Rule>) {
    source.relay.driver.go(
      on: RelayDriver.Step { [relay = source.relay] in Self.follow(leg, of: relay) })
  }
}
