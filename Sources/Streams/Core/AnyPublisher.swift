/// A publisher whose type is hidden.
@frozen public struct AnyPublisher<Output: Sendable, Failure: Error>: Publisher {
  @usableFromInline let attach: @Sendable (AnySubscriber<Output, Failure>) -> Void

  /// Hides the type of a publisher.
  @inlinable public init<Base: Publisher>(_ base: Base)
  where Base.Output == Output, Base.Failure == Failure {
    // Generic code cannot see that there is nothing left to hide.
    if let hidden = base as? AnyPublisher<Output, Failure> {
      self = hidden
    } else {
      attach = { base.receive(subscriber: $0) }
    }
  }

  @inlinable init(_ attach: @escaping @Sendable (AnySubscriber<Output, Failure>) -> Void) {
    self.attach = attach
  }

  @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
    attach(AnySubscriber(subscriber))
  }

  /// Itself: there is nothing left to hide.
  @inlinable public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { self }
}

extension Publisher {
  /// Hides this publisher's type, so that an API can promise values without naming its pipeline.
  @inlinable public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> {
    AnyPublisher(self)
  }
}
