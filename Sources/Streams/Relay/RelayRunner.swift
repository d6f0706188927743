/// A subscriber that puts a leg's values into the stream, as its rule says.
///
/// It is an object, because a hidden subscriber is captured twice. This way the captures cost two
/// references.
@usableFromInline final class RelayRunner<Rule: RelayRule, Downstream: Subscriber>: Subscriber
where Downstream.Input == Rule.Output, Downstream.Failure == any Error {
  @usableFromInline typealias Input = Rule.Output
  @usableFromInline typealias Failure = any Error

  @usableFromInline let mark = LiveMark("relayRunner")
  @usableFromInline let turn: RelayTurn
  @usableFromInline let downstream: Downstream
  @usableFromInline let rule: Rule
  @usableFromInline let context: SubscriptionContext

  @inlinable init(
    _ rule: Rule, turn: RelayTurn, of downstream: Downstream, context: SubscriptionContext
  ) {
    self.turn = turn
    self.downstream = downstream
    self.rule = rule
    self.context = context
  }

  /// Subscribes to a leg, unless the stream is over.
  @inlinable static func follow(
    _ leg: RelayLeg<Rule>, of relay: SubscriptionRelay<Downstream>
  ) {
    guard let number = relay.driver.nextTurn() else { return }
    leg.publisher.receive(
      subscriber: RelayRunner(
        leg.rule, turn: RelayTurn(driver: relay.driver, number: number), of: relay.downstream,
        context: leg.context ?? relay.downstream.context))
  }

  @inlinable func receive(subscription: any Subscription) {
    turn.admit(subscription)
  }

  @inlinable func receive(_ input: Rule.Output) -> Subscribers.Demand {
    guard turn.admitsValue else { return .none }
    var value = input
    do {
      guard let next = try rule.successor(of: &value) else { return send(value) }
      if turn.abort() { handOver(to: next) }
    } catch {
      if turn.abort() { finish(.failure(error)) }
    }
    return .none
  }

  @inlinable func receive(completion: Subscribers.Completion<any Error>) {
    guard turn.end() else { return }
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

  /// Passes a value on, unless the rule has cancelled the stream meanwhile.
  @inlinable func send(_ value: Rule.Output) -> Subscribers.Demand {
    guard turn.admitsValue else { return .none }
    turn.driver.noteValue()
    let more = downstream.receive(value)
    turn.driver.noteGrant(more)
    return more
  }

  @inlinable func finish(_ completion: Subscribers.Completion<any Error>) {
    if turn.driver.end(with: completion) { downstream.receive(completion: completion) }
  }

  @inlinable func handOver(to leg: RelayLeg<Rule>) {
    let relay = SubscriptionRelay(downstream, driver: turn.driver)
    turn.driver.go(on: RelayDriver.Step { Self.follow(leg, of: relay) })
  }
}
