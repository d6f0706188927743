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

    private let mark = LiveMark("sink")
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
