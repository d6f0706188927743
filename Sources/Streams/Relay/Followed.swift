extension Publisher where Failure == any Error {
  /// Waits for the end of this publisher, and follows the publisher that a closure makes of its
  /// last value.
  ///
  /// In contrast to `flatMap`, the followed publisher gets the downstream's demand. So no value of
  /// it waits, which a failure would then overtake.
  ///
  /// - Parameter next: A closure that makes the publisher to follow. It runs once, if there is a
  ///   value.
  package func followed<NewOutput: Sendable>(
    by next: @escaping @Sendable (Output) throws -> AnyPublisher<NewOutput, any Error>
  ) -> AnyPublisher<NewOutput, any Error> {
    Followed(first: self, next: next).eraseToAnyPublisher()
  }
}

private struct Followed<First: Publisher, Output: Sendable>: Publisher
where First.Failure == any Error {
  typealias Failure = any Error

  let first: First
  let next: @Sendable (First.Output) throws -> AnyPublisher<Output, any Error>

  func receive(subscriber: some Subscriber<Output, any Error>) {
    let last = LastValue<First.Output>()
    let end = ValueWait<First, Output>(first: first, last: last)
    let rule = FollowingRule<Output> { [next] in try last.take().map(next) }
    Relay(RelayLeg(end.eraseToAnyPublisher(), rule: rule)).receive(subscriber: subscriber)
  }
}

private final class LastValue<Value: Sendable>: Sendable {
  private let mark = LeakMark("followed")
  private let value = Lock<Value?>(nil)

  func note(_ value: Value) {
    let released = self.value.withLock { last in
      defer { last = value }
      return last
    }
    withExtendedLifetime(released) {}
  }

  func take() -> Value? { value.withLock { $0.take() } }
}

/// The end of a publisher whose last value is kept.
private struct ValueWait<First: Publisher, Output: Sendable>: Publisher
where First.Failure == any Error {
  typealias Failure = any Error

  let first: First
  let last: LastValue<First.Output>

  func receive(subscriber: some Subscriber<Output, any Error>) {
    first.receive(subscriber: ValueKeeper(last: last, downstream: subscriber))
  }
}

private struct ValueKeeper<Input: Sendable, Downstream: Subscriber>: Subscriber
where Downstream.Failure == any Error {
  typealias Failure = any Error

  let last: LastValue<Input>
  let downstream: Downstream

  var context: SubscriptionContext { downstream.context }

  func receive(subscription: any Subscription) {
    downstream.receive(
      subscription: ClosureSubscription { command in
        // The downstream's demand is for other values.
        if case .cancel = command { subscription.cancel() }
      })
    subscription.request(.unlimited)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    last.note(input)
    return .none
  }

  func receive(completion: Subscribers.Completion<any Error>) {
    downstream.receive(completion: completion)
  }
}

/// The rule of one publisher after another, which passes all signals of the second one.
private struct FollowingRule<Output: Sendable>: RelayRule {
  /// Makes the second publisher; nil once it is followed.
  let next: (@Sendable () throws -> AnyPublisher<Output, any Error>?)?

  func successor(of value: inout Output) -> RelayLeg<Self>? { nil }

  func successor(after end: Subscribers.Completion<any Error>) throws -> RelayLeg<Self>? {
    guard let next, case .finished = end, let publisher = try next() else { return nil }
    return RelayLeg(publisher, rule: Self(next: nil))
  }
}
