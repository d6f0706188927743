extension Publishers {
  /// A state machine of value type that handles one value at a time.
  ///
  /// ``Publisher/through(_:)->Publishers.Staged<Self,Machine>`` makes an operator from it. Each
  /// subscription works on its own copy. Values come one at a time, so a stage needs no lock for
  /// its state.
  public protocol Stage<Input, Output, Failure>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable
    associatedtype Failure: Error

    /// Whether the stage wants no value at all.
    ///
    /// If true, the stream finishes, and the upstream is not subscribed.
    ///
    /// It is read only from a new stage, and is false by default.
    var isDone: Bool { get }

    /// Receives a value and returns the next step.
    ///
    /// - Throws: The failure of the stream. The upstream is cancelled.
    mutating func receive(_ input: Input) throws(Failure) -> StageStep<Output>
  }
}

extension Publishers.Stage {
  @inlinable public var isDone: Bool { false }
}

extension Publishers {
  /// The step that follows a value.
  @frozen public enum StageStep<Output: Sendable>: Sendable {
    /// Pass this value on.
    case pass(Output)
    /// Pass nothing on, and request another value instead.
    case skip
    /// Pass this value on, cancel the upstream and finish.
    case last(Output)
    /// Cancel the upstream and finish.
    case finish
  }
}

extension Publisher {
  /// Applies a stage to this publisher, to make your own operator.
  ///
  /// - Parameter stage: The stage, which is copied for each subscription.
  @inlinable
  public func through<Machine: Publishers.Stage>(_ stage: Machine)
    -> Publishers.Staged<Self, Machine>
  where Machine.Input == Output, Machine.Failure == Failure {
    Publishers.Staged(self, stage) { $0 }
  }
}

extension Publishers {
  /// A publisher of the values that a ``Publishers/Stage`` makes from each value.
  ///
  /// It forwards the downstream's demand, and requests one more value for each one skipped. Values
  /// arrive on the upstream's thread, with no lock and no allocation.
  @frozen public struct Staged<Upstream: Publisher, Machine: Stage>: Publisher
  where Machine.Input == Upstream.Output {
    public typealias Output = Machine.Output
    public typealias Failure = Machine.Failure

    public let upstream: Upstream
    public let stage: Machine
    @usableFromInline let mapFailure: @Sendable (Upstream.Failure) -> Failure

    /// - Parameters:
    ///   - upstream: The publisher of the values.
    ///   - stage: The stage, which is copied for each subscription.
    ///   - mapFailure: A closure that converts the upstream's failure to the stage's failure.
    @inlinable public init(
      _ upstream: Upstream, _ stage: Machine,
      mapFailure: @escaping @Sendable (Upstream.Failure) -> Failure
    ) {
      self.upstream = upstream
      self.stage = stage
      self.mapFailure = mapFailure
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      if stage.isDone {
        Empty().receive(subscriber: subscriber)
      } else {
        upstream.receive(
          subscriber: StageSubscriber(stage, downstream: subscriber, mapFailure: mapFailure))
      }
    }
  }
}

/// A subscriber that runs a stage between an upstream and a downstream.
@frozen @usableFromInline
struct StageSubscriber<Machine: Publishers.Stage, Downstream: Subscriber, Failure: Error>:
  Subscriber
where Machine.Output == Downstream.Input, Machine.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Machine.Input

  @usableFromInline let gate = UpstreamGate()
  @usableFromInline let stage: Confined<Machine>
  @usableFromInline let downstream: Downstream
  @usableFromInline let mapFailure: @Sendable (Failure) -> Downstream.Failure

  @inlinable init(
    _ stage: Machine, downstream: Downstream,
    mapFailure: @escaping @Sendable (Failure) -> Downstream.Failure
  ) {
    self.stage = Confined(stage)
    self.downstream = downstream
    self.mapFailure = mapFailure
  }

  @inlinable var context: SubscriptionContext { downstream.context }

  @inlinable func receive(subscription: any Subscription) {
    guard gate.admit(subscription, for: Self.self) else { return }
    downstream.receive(subscription: gate.subscription)
  }

  @inlinable func receive(_ input: Machine.Input) -> Subscribers.Demand {
    guard gate.admitsValue(for: Self.self) else { return .none }
    let step: Publishers.StageStep<Downstream.Input>?
    do throws(Machine.Failure) {
      step = try stage.access { stage throws(Machine.Failure) in try stage.receive(input) }
    } catch {
      if gate.abort() { downstream.receive(completion: .failure(error)) }
      return .none
    }
    switch step {
    case .pass(let output):
      // The stage's closure may have cancelled.
      return gate.isOpen ? downstream.receive(output) : .none
    case .skip:
      return .max(1)
    case .last(let output):
      if gate.abort() {
        _ = downstream.receive(output)
        if !gate.isCancelled { downstream.receive(completion: .finished) }
      }
    case .finish:
      if gate.abort() { downstream.receive(completion: .finished) }
    case nil:
      ContractViolation.report(.overlap, by: Self.self)
    }
    return .none
  }

  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    guard gate.finish(for: Self.self) else { return }
    let end = completion.mapFailure(mapFailure)
    if !gate.isCancelled { downstream.receive(completion: end) }
  }
}
