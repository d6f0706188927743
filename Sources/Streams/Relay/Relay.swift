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
