extension Subscribers {
  /// A subscriber that writes each value to a property of an object.
  ///
  /// It holds the object until the end or a cancel.
  public final class Assign<Root: AnyObject & Sendable, Input: Sendable>: Subscriber, Cancellable,
    RepeatableCancellable
  {
    public typealias Failure = Never

    private let mark = LeakMark("assign")
    private let gate = UpstreamGate()
    private let root: Lock<Root?>
    private let keyPath: ReferenceWritableKeyPath<Root, Input> & Sendable

    /// - Parameters:
    ///   - object: The object to write to, on the thread that the publisher delivers on.
    ///   - keyPath: The key path of the property.
    public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input> & Sendable) {
      root = Lock(object)
      self.keyPath = keyPath
    }

    public func receive(subscription: any Subscription) {
      if gate.admit(subscription, for: Self.self) { subscription.request(.unlimited) }
    }

    public func receive(_ input: Input) -> Demand {
      if gate.admitsValue(for: Self.self) {
        root.withLock { $0 }?[keyPath: keyPath] = input
      }
      return .none
    }

    public func receive(completion: Completion<Never>) {
      if gate.finish(for: Self.self) { releaseRoot() }
    }

    public func cancel() {
      gate.cancel()
      releaseRoot()
    }

    private func releaseRoot() {
      let released = root.withLock { $0.take() }
      withExtendedLifetime(released) {}
    }
  }
}

extension Publisher where Failure == Never {
  /// Writes each value to a property of an object.
  ///
  /// The subscription holds the object until the end or a cancel. An object that assigns to itself
  /// and keeps the result keeps itself alive until then.
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the property. It must be safe to write to the object on the
  ///     publisher's thread.
  ///   - object: The object to write to.
  /// - Returns: A cancellable that keeps the subscription alive. Releasing it cancels the
  ///   subscription.
  public func assign<Root: AnyObject & Sendable>(
    to keyPath: ReferenceWritableKeyPath<Root, Output> & Sendable, on object: Root
  ) -> AnyCancellable {
    let assign = Subscribers.Assign(object: object, keyPath: keyPath)
    receive(subscriber: assign)
    return AnyCancellable(assign)
  }
}
