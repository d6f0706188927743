/// Puts a leg's values into the stream as its rule says.
///
/// An object, since a hidden subscriber is captured twice: so that costs two references.
@usableFromInline final class RelayRunner<Rule: RelayRule, Downstream: Subscriber>: Subscriber
where Downstream.Input == Rule.Output, Downstream.Failure == any Error {
  @usableFromInline typealias Input = Rule.Output
  @usableFromInline typealias Failure = any Error

  @usableFromInline let mark = LiveMark(.relayRunner)
  @usableFromInline let driver: RelayDriver
  @usableFromInline let downstream: Downstream
  @usableFromInline let rule: Rule
  @usableFromInline let context: SubscriptionContext
  @usableFromInline let turn: Int

  @inlinable init(
    _ rule: Rule, driver: RelayDriver, downstream: Downstream, context: SubscriptionContext,
    turn: Int
  ) {
    self.driver = driver
    self.downstream = downstream
    self.rule = rule
    self.context = context
    self.turn = turn
  }

  /// Subscribes a leg, unless the stream is over.
  @inlinable static func follow(
    _ leg: RelayLeg<Rule>, for downstream: Downstream, by driver: RelayDriver
  ) {
    guard let turn = driver.nextTurn() else { return }
    leg.publisher.receive(
      subscriber: RelayRunner(
        leg.rule, driver: driver, downstream: downstream,
        context: leg.context ?? downstream.context, turn: turn))
  }

  @inlinable func receive(subscription: any Subscription) {
    driver.admit(subscription, of: turn)
  }

  @inlinable func receive(_ input: Rule.Output) -> Subscribers.Demand {
    guard driver.admitsValue(of: turn) else { return .none }
    var value = input
    do {
      if let next = try rule.successor(of: &value) {
        if driver.endTurn(turn, hasEnded: false) { handOver(to: next) }
        return .none
      }
    } catch {
      if driver.endTurn(turn, hasEnded: false) { finish(.failure(error)) }
      return .none
    }
    // The rule may have cancelled.
    guard driver.turns.isOpen(turn) else { return .none }
    driver.noteValue()
    let more = downstream.receive(value)
    driver.noteGrant(more)
    return more
  }

  @inlinable func receive(completion: Subscribers.Completion<any Error>) {
    guard driver.endTurn(turn, hasEnded: true) else { return }
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
    if driver.finish(completion) { downstream.receive(completion: completion) }
  }

  @inlinable func handOver(to leg: RelayLeg<Rule>) {
    driver.go(
      on: RelayDriver.Step { [driver, downstream] in
        Self.follow(leg, for: downstream, by: driver)
      })
  }
}
