/// What an operator makes of values when one more may follow the last: a state machine of value
/// type.
@usableFromInline
protocol Tail<Input, Output, InputFailure, Failure> {
  associatedtype Input: Sendable
  associatedtype Output: Sendable
  associatedtype InputFailure: Error
  associatedtype Failure: Error

  /// How many values in it takes for one out.
  var ratio: Int { get }

  /// Takes a value in.
  ///
  /// - Returns: The value to pass on, or nil where it takes more for one.
  mutating func receive(_ input: Input) -> Output?

  mutating func end(
    _ completion: Subscribers.Completion<InputFailure>
  ) -> TailEnd<Output, Failure>
}

/// What follows the last value.
@frozen
@usableFromInline
enum TailEnd<Output: Sendable, Failure: Error> {
  /// The end.
  case end(Subscribers.Completion<Failure>)
  /// One more value, as soon as there is demand for it, then the end.
  case value(Output)
}

/// Runs a tail between an upstream and a downstream.
///
/// The last value is the second source of a relay, which knows whether the demand for it is there.
@frozen
@usableFromInline
struct TailSubscriber<Machine: Tail, Downstream: Subscriber>: Subscriber
where Machine.Output == Downstream.Input, Machine.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Machine.Input
  @usableFromInline typealias Failure = Machine.InputFailure

  @usableFromInline let source: RelaySource<Downstream>
  @usableFromInline let tail: Confined<Machine>
  @usableFromInline let ratio: Int

  @inlinable
  init(source: RelaySource<Downstream>, tail: Machine) {
    self.source = source
    self.tail = Confined(tail)
    ratio = tail.ratio
  }

  /// Connects a publisher to a subscriber through a tail.
  @inlinable
  static func connect<Upstream: Publisher>(
    _ upstream: Upstream, to downstream: Downstream, through tail: Machine
  ) where Upstream.Output == Input, Upstream.Failure == Failure {
    guard let source = SubscriptionRelay.start(for: downstream).nextSource() else { return }
    upstream.receive(subscriber: TailSubscriber(source: source, tail: tail))
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if ratio == 1 {
      source.admit(subscription)
    } else {
      source.admit(
        ClosureSubscription { [ratio] command in
          switch command {
          case .request(let demand): subscription.request(demand * ratio)
          case .cancel: subscription.cancel()
          }
        })
    }
  }

  @inlinable
  func receive(_ input: Machine.Input) -> Subscribers.Demand {
    guard source.isInCharge else {
      source.reportSlip(.valueAfterEnd)
      return .none
    }
    guard let output = tail.access({ $0.receive(input) }) else {
      source.reportSlip(.overlap)
      return .none
    }
    guard let output else { return .none }
    return source.send(output) * ratio
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Machine.InputFailure>) {
    guard source.end() else { return }
    switch tail.access({ $0.end(completion) }) {
    case .end(let completion):
      source.relay.finish(completion)
    case .value(let value):
      guard let next = source.relay.nextSource() else { return }
      PullSubscription.start(
        value, for: LastRelaySubscriber(source: next, mapFailure: impossible))
    case nil:
      source.reportSlip(.overlap)
    }
  }
}
