/// A publisher whose type is hidden.
@frozen public struct AnyPublisher<Output: Sendable, Failure: Error>: Publisher, BarePublisher {
  @usableFromInline let attach: @Sendable (AnySubscriber<Output, Failure>) -> Void
  @usableFromInline let endsAtOnce: Bool

  /// Creates a publisher that hides the type of another.
  @inlinable public init<Base: Publisher>(_ base: Base)
  where Base.Output == Output, Base.Failure == Failure {
    // Generic code does not know at compile time that the type is hidden already.
    if let hidden = base as? AnyPublisher<Output, Failure> {
      self = hidden
    } else {
      self.init { base.receive(subscriber: $0) }
    }
  }

  /// Creates a publisher from what it does with a subscriber.
  ///
  /// - Parameter endsAtOnce: What the hidden publisher tells as a ``BarePublisher``. Only the
  ///   methods of those publishers pass it, because asking every publisher costs too much.
  @inlinable package init(
    endsAtOnce: Bool = false,
    _ attach: @escaping @Sendable (AnySubscriber<Output, Failure>) -> Void
  ) {
    self.attach = attach
    self.endsAtOnce = endsAtOnce
  }

  @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
    attach(AnySubscriber(subscriber))
  }

  /// Returns this publisher, whose type is hidden already.
  @inlinable public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { self }
}

extension Publisher {
  /// Returns this publisher with its type hidden, so that an API can promise values without naming
  /// its pipeline.
  @inlinable public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> {
    AnyPublisher(self)
  }
}
