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

  /// Makes a subscriber of closures; without them, one that asks for nothing and ignores all.
  ///
  /// - Parameters:
  ///   - receiveSubscription: Takes the subscription; nothing arrives unless it requests.
  ///   - receiveValue: Takes a value and says how many more are wanted; none unless it is given.
  ///   - receiveCompletion: Takes the end.
  ///   - context: What everything upstream is given.
  @inlinable public init(
    receiveSubscription: (@Sendable (any Subscription) -> Void)? = nil,
    receiveValue: (@Sendable (Input) -> Subscribers.Demand)? = nil,
    receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Void)? = nil,
    context: SubscriptionContext = SubscriptionContext()
  ) {
    self.context = context
    receiveInput = receiveValue ?? { _ in .none }
    receiveControl = { signal in
      switch signal {
      case .subscription(let subscription): receiveSubscription?(subscription)
      case .completion(let completion): receiveCompletion?(completion)
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
