/// The subscriber of the `sink` operators: closures that the upstream owns, and a gate that the
/// caller's cancellable shares.
///
/// The closures are therefore released when the upstream releases its subscriber, however long the
/// cancellable is kept (contract C-7). A value costs one flag and one call.
@frozen @usableFromInline struct SinkSubscriber<Input: Sendable, Failure: Error>: Subscriber {
  @usableFromInline let gate: UpstreamGate
  @usableFromInline let receiveValue: @Sendable (Input) -> Void
  @usableFromInline let receiveCompletion: @Sendable (Subscribers.Completion<Failure>) -> Void

  @inlinable init(
    gate: UpstreamGate,
    receiveValue: @escaping @Sendable (Input) -> Void,
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void
  ) {
    self.gate = gate
    self.receiveValue = receiveValue
    self.receiveCompletion = receiveCompletion
  }

  @inlinable func receive(subscription: any Subscription) {
    if gate.admit(subscription, for: Self.self) { subscription.request(.unlimited) }
  }

  @inlinable func receive(_ input: Input) -> Subscribers.Demand {
    if gate.admitsValue(for: Self.self) {
      receiveValue(input)
    }
    return .none
  }

  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    if gate.finish(for: Self.self) { receiveCompletion(completion) }
  }
}

extension Publisher {
  /// Attaches closures that take the values and the completion.
  ///
  /// Both closures run on the publisher's thread. To choose another one, put ``receive(on:)``
  /// before this operator.
  ///
  /// - Parameters:
  ///   - receiveCompletion: A closure that runs once, when the stream ends, but not after a cancel.
  ///   - receiveValue: A closure that runs for each value.
  /// - Returns: A cancellable that keeps the subscription alive. Releasing it cancels the
  ///   subscription.
  @inlinable public func sink(
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> AnyCancellable {
    let gate = UpstreamGate()
    receive(
      subscriber: SinkSubscriber<Output, Failure>(
        gate: gate, receiveValue: receiveValue, receiveCompletion: receiveCompletion))
    return AnyCancellable(gate)
  }

  /// Attaches a closure that takes each value, or the failure, as a `Result`.
  ///
  /// It reads like a completion handler if the publisher sends one value, as a request does. A
  /// normal end is not reported.
  ///
  /// - Parameter receiveResult: A closure that runs for each value and for the failure, on the
  ///   publisher's thread.
  /// - Returns: A cancellable that keeps the subscription alive. Releasing it cancels the
  ///   subscription.
  @inlinable public func sink(
    receiveResult: @escaping @Sendable (Result<Output, Failure>) -> Void
  ) -> AnyCancellable {
    sink(
      receiveCompletion: { completion in
        if case .failure(let error) = completion { receiveResult(.failure(error)) }
      },
      receiveValue: { receiveResult(.success($0)) })
  }
}

extension Publisher where Failure == Never {
  /// Attaches a closure that takes the values of a stream that cannot fail.
  ///
  /// - Parameter receiveValue: A closure that runs for each value, on the publisher's thread.
  /// - Returns: A cancellable that keeps the subscription alive. Releasing it cancels the
  ///   subscription.
  @inlinable public func sink(
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}

extension Publisher {
  /// A stream that can fail ends with a failure, which a closure for values does not receive.
  @available(
    *, unavailable,
    message: """
      this publisher can fail: write sink { result in … } and switch over the Result, or add \
      receiveCompletion:, or handle the failure first, as with replaceError(with:)
      """
  )
  @_disfavoredOverload
  public func sink(receiveValue: @escaping @Sendable (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}

extension Subscribers {
  /// A subscriber that requests everything and passes the signals to two closures.
  ///
  /// The end and a cancel release the closures, even while this object is kept. The `sink`
  /// operators attach a smaller subscriber. Use this class if you need an object that can be
  /// subscribed later.
  public final class Sink<Input: Sendable, Failure: Error>: Subscriber, Cancellable,
    RepeatableCancellable
  {
    public typealias ReceiveValue = @Sendable (Input) -> Void
    public typealias ReceiveCompletion = @Sendable (Completion<Failure>) -> Void

    // A struct and not a tuple, because a generic lock would wrap a tuple's closures again at each
    // access.
    private struct Handlers: Sendable {
      let value: ReceiveValue
      let completion: ReceiveCompletion
    }

    private let mark = LeakMark("sink")
    private let gate = UpstreamGate()
    private let handlers: Lock<Handlers?>

    /// - Parameters:
    ///   - receiveCompletion: A closure that runs once at the end, on the publisher's thread.
    ///   - receiveValue: A closure that runs for each value, on the publisher's thread.
    public init(
      receiveCompletion: @escaping ReceiveCompletion, receiveValue: @escaping ReceiveValue
    ) {
      handlers = Lock(Handlers(value: receiveValue, completion: receiveCompletion))
    }

    public func receive(subscription: any Subscription) {
      if gate.admit(subscription, for: Self.self) { subscription.request(.unlimited) }
    }

    public func receive(_ input: Input) -> Demand {
      if gate.admitsValue(for: Self.self) {
        handlers.withLock { $0?.value }?(input)
      }
      return .none
    }

    public func receive(completion: Completion<Failure>) {
      if gate.finish(for: Self.self) { releaseHandlers()?.completion(completion) }
    }

    public func cancel() {
      gate.cancel()
      _ = releaseHandlers()
    }

    private func releaseHandlers() -> Handlers? {
      handlers.withLock { $0.take() }
    }
  }
}
