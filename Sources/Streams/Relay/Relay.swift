/// Says who follows a publisher: looks at each of its signals before that passes, and may let another
/// publisher take over instead.
///
/// It is asked where the signals are delivered, one at a time, with no lock held.
@usableFromInline package protocol RelayRule<Output>: Sendable {
  associatedtype Output: Sendable

  /// A value came.
  ///
  /// - Parameter value: What is passed on; the rule may change it.
  /// - Returns: What takes over, after the publisher was cancelled; nil lets the value pass.
  /// - Throws: The failure that ends the stream here.
  func successor(of value: inout Output) throws -> RelayLeg<Self>?

  /// The publisher has ended.
  ///
  /// - Returns: What takes over; nil lets the end pass.
  /// - Throws: The failure that ends the stream instead.
  func successor(after end: Subscribers.Completion<any Error>) throws -> RelayLeg<Self>?
}

/// A publisher that is followed for a while, and the rule that says for how long.
@frozen @usableFromInline package struct RelayLeg<Rule: RelayRule>: Sendable {
  @usableFromInline let publisher: AnyPublisher<Rule.Output, any Error>
  @usableFromInline let rule: Rule
  @usableFromInline let context: SubscriptionContext?

  /// - Parameters:
  ///   - rule: Is asked about the publisher's signals.
  ///   - context: What the publisher is given; nil for the downstream's.
  @inlinable package init(
    _ publisher: AnyPublisher<Rule.Output, any Error>, rule: Rule,
    context: SubscriptionContext? = nil
  ) {
    self.publisher = publisher
    self.rule = rule
    self.context = context
  }
}

/// What runs before the end of a relay is passed on, or with nil before a cancel is.
@usableFromInline package typealias RelayEndHandler =
  @Sendable (Subscribers.Completion<any Error>?) -> Void

/// One publisher after another as a rule says: a request, then that which it was redirected to; an
/// attempt, a wait, then the next attempt.
///
/// It is `tryMap`, `tryCatch` and `handleEvents` in one stage, at the price of one. What takes over is
/// asked for what was left unserved, and any number of publishers needs the stack of one.
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
