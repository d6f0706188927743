/// A subscriber whose type is hidden.
///
/// Two closures form the boundary while the subscriber's type is still known. A value therefore
/// crosses it with one indirect call and no allocation.
@frozen public struct AnySubscriber<Input: Sendable, Failure: Error>: Subscriber {
  @usableFromInline let receiveInput: @Sendable (Input) -> Subscribers.Demand
  @usableFromInline let receiveControl: @Sendable (ControlSignal<Failure>) -> Void
  public let context: SubscriptionContext

  /// Creates a subscriber that hides the type of another.
  @inlinable public init<Base: Subscriber>(_ base: Base)
  where Base.Input == Input, Base.Failure == Failure {
    if let hidden = Self.hidden(base) {
      self = hidden
    } else if MemoryLayout<Base>.size <= MemoryLayout<AnyObject>.size {
      self.init(holding: base)
    } else {
      // Two closures would each have a copy of it.
      self.init(holding: HiddenSubscriber(base))
    }
  }

  /// - Parameter base: A subscriber that closures can hold without a copy, as an object.
  @inlinable init<Base: Subscriber>(holding base: Base)
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

  /// Creates a subscriber that passes everything on to another, with another context.
  @inlinable init(_ base: AnySubscriber, context: SubscriptionContext) {
    self.context = context
    receiveInput = base.receiveInput
    receiveControl = base.receiveControl
  }

  /// Returns a subscriber whose type is hidden already, and nil for others.
  ///
  /// Publishers behind publishers with hidden types hide the same subscriber again and again, and
  /// each time would cost two allocations, and two calls for each value.
  @inlinable static func hidden<Base: Subscriber>(_ base: Base) -> AnySubscriber? {
    // Generic code compares types faster than it casts.
    Base.self == AnySubscriber.self ? base as? AnySubscriber : nil
  }

  /// Creates a subscriber from closures.
  ///
  /// Without closures, the subscriber requests nothing and ignores all signals.
  ///
  /// - Parameters:
  ///   - receiveSubscription: A closure that takes the subscription. No value arrives unless the
  ///     closure requests one.
  ///   - receiveValue: A closure that takes a value and returns the additional demand. Without it,
  ///     the subscriber requests no more values.
  ///   - receiveCompletion: A closure that takes the completion.
  ///   - context: The context that the subscriber gives to all publishers upstream.
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

/// A signal that comes at most once.
@frozen @usableFromInline enum ControlSignal<Failure: Error>: Sendable {
  case subscription(any Subscription)
  case completion(Subscribers.Completion<Failure>)
}

/// A subscriber in an object, which both closures of an ``AnySubscriber`` hold.
@usableFromInline final class HiddenSubscriber<Base: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Base.Input
  @usableFromInline typealias Failure = Base.Failure

  @usableFromInline let mark = LeakMark("hiddenSubscriber")
  @usableFromInline let base: Base

  @inlinable init(_ base: Base) {
    self.base = base
  }

  @inlinable var context: SubscriptionContext { base.context }

  @inlinable func receive(subscription: any Subscription) {
    base.receive(subscription: subscription)
  }

  @inlinable func receive(_ input: Base.Input) -> Subscribers.Demand { base.receive(input) }

  @inlinable func receive(completion: Subscribers.Completion<Base.Failure>) {
    base.receive(completion: completion)
  }
}
