extension Subscribers {
  /// A subscriber that asks for everything and hands it to two closures.
  ///
  /// The closures are released at the end and by a cancel, also while this object is kept. The
  /// `sink` operators attach a leaner subscriber; use this one where an object is wanted that can
  /// be subscribed later.
  public final class Sink<Input: Sendable, Failure: Error>: Subscriber, Cancellable,
    RepeatableCancellable
  {
    public typealias ReceiveValue = @Sendable (Input) -> Void
    public typealias ReceiveCompletion = @Sendable (Completion<Failure>) -> Void

    // A struct and not a tuple: a generic lock would wrap a tuple's closures anew at each access.
    private struct Handlers: Sendable {
      let value: ReceiveValue
      let completion: ReceiveCompletion
    }

    private let mark = LiveMark(.sink)
    private let gate = UpstreamGate()
    private let handlers: Lock<Handlers?>

    /// - Parameters:
    ///   - receiveCompletion: Runs once at the end, where the publisher delivers.
    ///   - receiveValue: Runs for each value, where the publisher delivers.
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
