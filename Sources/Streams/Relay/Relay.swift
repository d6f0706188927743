/// A rule that sees each signal of a publisher before the signal passes, and may let another
/// publisher take over.
///
/// It is called on the thread that delivers the signals, one at a time, with no lock held.
@usableFromInline package protocol RelayRule<Output>: Sendable {
  associatedtype Output: Sendable

  /// A value arrived.
  ///
  /// - Parameter value: The value to pass on, which the rule may change.
  /// - Returns: The leg that takes over after the publisher is cancelled, or nil to let the value
  ///   pass.
  /// - Throws: The failure that ends the stream.
  func successor(of value: inout Output) throws -> RelayLeg<Self>?

  /// The publisher has ended.
  ///
  /// - Returns: The leg that takes over, or nil to let the end pass.
  /// - Throws: The failure that ends the stream instead.
  func successor(after end: Subscribers.Completion<any Error>) throws -> RelayLeg<Self>?
}

/// A publisher to follow for a while, with the rule that says how long.
@frozen @usableFromInline package struct RelayLeg<Rule: RelayRule>: Sendable {
  @usableFromInline package let publisher: AnyPublisher<Rule.Output, any Error>
  @usableFromInline package let rule: Rule
  @usableFromInline let context: SubscriptionContext?

  /// - Parameters:
  ///   - rule: The rule for the publisher's signals.
  ///   - context: The context for the publisher, or nil for the downstream's context.
  @inlinable package init(
    _ publisher: AnyPublisher<Rule.Output, any Error>, rule: Rule,
    context: SubscriptionContext? = nil
  ) {
    self.publisher = publisher
    self.rule = rule
    self.context = context
  }
}

/// A closure that runs before the end of a relay is passed on, or with nil before a cancel is.
@usableFromInline package typealias RelayEndHandler =
  @Sendable (Subscribers.Completion<any Error>?) -> Void

/// A publisher that follows one publisher after another, as a rule says.
///
/// Examples are a request and its redirects, or an attempt, a delay and the next attempt.
///
/// It does the work of `tryMap`, `tryCatch` and `handleEvents` in one stage, at the cost of one.
/// The next publisher gets the demand that was left unserved. The stack does not grow with the
/// number of publishers.
@frozen @usableFromInline package struct Relay<Rule: RelayRule>: Publisher {
  @usableFromInline package typealias Output = Rule.Output
  @usableFromInline package typealias Failure = any Error

  @usableFromInline let first: RelayLeg<Rule>
  @usableFromInline let onEnd: RelayEndHandler?

  @inlinable package init(_ first: RelayLeg<Rule>, onEnd: RelayEndHandler? = nil) {
    self.first = first
    self.onEnd = onEnd
  }

  @inlinable package func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let relay = SubscriptionRelay.start(for: subscriber, onEnd: onEnd)
    relay.driver.begin { RelayRunner.follow(first, of: relay) }
  }
}

/// A subscriber that puts a leg's values into the stream, as its rule says.
///
/// It is an object, because a hidden subscriber is captured twice. This way the captures cost two
/// references.
@usableFromInline final class RelayRunner<Rule: RelayRule, Downstream: Subscriber>: Subscriber
where Downstream.Input == Rule.Output, Downstream.Failure == any Error {
  @usableFromInline typealias Input = Rule.Output
  @usableFromInline typealias Failure = any Error

  @usableFromInline let mark = LeakMark("relayRunner")
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
