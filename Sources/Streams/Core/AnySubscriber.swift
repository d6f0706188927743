/// A subscriber whose type is hidden.
///
/// The boundary is a pair of closures, formed where the subscriber's type is still known, so a value
/// crosses it at the price of one indirect call and no allocation.
@frozen public struct AnySubscriber<Input: Sendable, Failure: Error>: Subscriber {
  @usableFromInline let receiveInput: @Sendable (Input) -> Subscribers.Demand
  @usableFromInline let receiveControl: @Sendable (ControlSignal<Failure>) -> Void
  public let context: SubscriptionContext

  /// Hides the type of a subscriber.
  @inlinable public init<Base: Subscriber>(_ base: Base)
  where Base.Input == Input, Base.Failure == Failure {
    context = base.context
    receiveInput = { base.receive($0) }
    receiveControl = { signal in
      switch signal {
      case .subscription(let subscription): base.receive(subscription: subscription)
      case .completion(let completion): base.receive(completion: completion)
      }
    }
  }

  /// Makes a subscriber of closures.
  ///
  /// - Parameters:
  ///   - receiveSubscription: Takes the subscription; nothing arrives unless it requests.
  ///   - receiveValue: Takes a value and says how many more are wanted.
  ///   - receiveCompletion: Takes the end.
  ///   - context: What everything upstream is given.
  @inlinable public init(
    receiveSubscription: @escaping @Sendable (any Subscription) -> Void,
    receiveValue: @escaping @Sendable (Input) -> Subscribers.Demand,
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
    context: SubscriptionContext = SubscriptionContext()
  ) {
    self.context = context
    receiveInput = receiveValue
    receiveControl = { signal in
      switch signal {
      case .subscription(let subscription): receiveSubscription(subscription)
      case .completion(let completion): receiveCompletion(completion)
      }
    }
  }

  @inlinable public func receive(subscription: any Subscription) {
    receiveControl(.subscription(subscription))
  }

  @inlinable public func receive(_ input: Input) -> Subscribers.Demand {
    receiveInput(input)
  }

  @inlinable public func receive(completion: Subscribers.Completion<Failure>) {
    receiveControl(.completion(completion))
  }
}

/// The signals that come at most once.
@frozen @usableFromInline enum ControlSignal<Failure: Error>: Sendable {
  case subscription(any Subscription)
  case completion(Subscribers.Completion<Failure>)
}
