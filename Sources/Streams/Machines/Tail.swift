extension Publishers {
  /// A ``Publishers/Stage`` that also handles the end, and may add one more value after the last.
  ///
  /// ``Publisher/through(_:)->Publishers.Tailed<Self,Machine>`` makes an operator from it. Each
  /// subscription works on its own copy. Signals come one at a time, so a tail needs no lock for
  /// its state.
  public protocol Tail<Input, Output, InputFailure, Failure>: Stage {
    associatedtype InputFailure: Error

    /// The number of input values for one output value, which are requested together.
    ///
    /// It is one by default.
    var ratio: Int { get }

    /// Receives the end, and returns what follows the last value.
    mutating func end(
      _ completion: Subscribers.Completion<InputFailure>
    ) -> TailEnd<Output, Failure>
  }
}

extension Publishers.Tail {
  @inlinable public var ratio: Int { 1 }
}

extension Publishers {
  /// The signals that follow the last value.
  @frozen public enum TailEnd<Output: Sendable, Failure: Error>: Sendable {
    /// The completion.
    case end(Subscribers.Completion<Failure>)
    /// One more value, as soon as there is demand for it, and then the end.
    case value(Output)
  }
}

extension Publisher {
  /// Applies a tail to this publisher, to make your own operator.
  ///
  /// For a tail that changes the failure type, use ``Publishers/Tailed/init(_:_:)``.
  ///
  /// - Parameter tail: The tail, which is copied for each subscription.
  @inlinable public func through<Machine: Publishers.Tail>(_ tail: Machine)
    -> Publishers.Tailed<Self, Machine>
  where Machine.Input == Output, Machine.InputFailure == Failure, Machine.Failure == Failure {
    Publishers.Tailed(self, tail)
  }

  // Without this overload, a tail with a different input failure would be used as a stage, and
  // would not receive the end.
  @available(
    *, unavailable,
    message: "InputFailure must be this publisher's Failure; otherwise use Publishers.Tailed"
  )
  public func through<Machine: Publishers.Tail>(_ tail: Machine)
    -> Publishers.Staged<Self, Machine>
  where Machine.Input == Output, Machine.Failure == Failure {
    Publishers.Staged(self, tail) { $0 }
  }
}

extension Publishers {
  /// A publisher of the values that a ``Publishers/Tail`` makes from each value, and of the value
  /// that it adds.
  ///
  /// It requests the downstream's demand, times the tail's ``Publishers/Tail/ratio``. With a ratio
  /// of one, it requests one more value for each one skipped. The last value waits for demand.
  /// Values arrive on the upstream's thread.
  @frozen public struct Tailed<Upstream: Publisher, Machine: Tail>: Publisher
  where Machine.Input == Upstream.Output, Machine.InputFailure == Upstream.Failure {
    public typealias Output = Machine.Output
    public typealias Failure = Machine.Failure

    public let upstream: Upstream
    public let tail: Machine

    /// - Parameters:
    ///   - upstream: The publisher of the values.
    ///   - tail: The tail, which is copied for each subscription.
    @inlinable public init(_ upstream: Upstream, _ tail: Machine) {
      self.upstream = upstream
      self.tail = tail
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      guard !tail.isDone else { return Empty().receive(subscriber: subscriber) }
      guard let source = SubscriptionRelay.start(for: subscriber).nextSource() else { return }
      upstream.receive(subscriber: TailSubscriber(source: source, tail: tail))
    }
  }
}

/// A subscriber that runs a tail between an upstream and a downstream.
///
/// The last value is the second source of a relay, which knows whether there is demand for it.
@frozen @usableFromInline
struct TailSubscriber<Machine: Publishers.Tail, Downstream: Subscriber>: Subscriber
where Machine.Output == Downstream.Input, Machine.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Machine.Input
  @usableFromInline typealias Failure = Machine.InputFailure

  @usableFromInline let source: RelaySource<Downstream>
  @usableFromInline let tail: Confined<Machine>
  @usableFromInline let ratio: Int

  @inlinable init(source: RelaySource<Downstream>, tail: Machine) {
    self.source = source
    self.tail = Confined(tail)
    ratio = tail.ratio
  }

  @inlinable var context: SubscriptionContext { source.downstream.context }

  @inlinable func receive(subscription: any Subscription) {
    source.admit(
      ClosureSubscription { [ratio] command in
        switch command {
        case .request(let demand): subscription.request(demand * ratio)
        case .cancel: subscription.cancel()
        }
      })
  }

  @inlinable func receive(_ input: Machine.Input) -> Subscribers.Demand {
    guard source.turn.admitsValue else { return .none }
    let step: Publishers.StageStep<Downstream.Input>?
    do throws(Machine.Failure) {
      step = try tail.access { tail throws(Machine.Failure) in try tail.receive(input) }
    } catch {
      if source.abort() { source.relay.finish(.failure(error)) }
      return .none
    }
    switch step {
    case .pass(let output):
      return source.send(output) * ratio
    case .skip:
      // With a larger ratio, the values were requested together.
      return ratio == 1 ? .max(1) : .none
    case .last(let output):
      if source.abort() {
        _ = source.downstream.receive(output)
        source.relay.finish(.finished)
      }
    case .finish:
      if source.abort() { source.relay.finish(.finished) }
    case nil:
      source.turn.reportViolation(.overlap)
    }
    return .none
  }

  @inlinable func receive(completion: Subscribers.Completion<Machine.InputFailure>) {
    guard source.end() else { return }
    switch tail.access({ $0.end(completion) }) {
    case .end(let completion): source.relay.finish(completion)
    case .value(let value): source.relay.followLast(Just(value), mapFailure: impossible)
    case nil: source.turn.reportViolation(.overlap)
    }
  }
}
