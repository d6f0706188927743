extension Publishers {
  /// A state machine of value type that makes one result from all values.
  ///
  /// ``Publisher/through(_:)->Publishers.Folded<Self,Machine>`` makes an operator from it. Each
  /// subscription works on its own copy. Values come one at a time, so a fold needs no lock for its
  /// state.
  public protocol Fold<Input, Output, Failure>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable
    associatedtype Failure: Error

    /// The demand for the upstream, unlimited by default.
    var demand: Subscribers.Demand { get }

    /// Receives a value.
    ///
    /// - Returns: Whether more values are needed to know the result. If not, the upstream is
    ///   cancelled.
    /// - Throws: The failure of the stream. The upstream is cancelled.
    mutating func receive(_ input: Input) throws(Failure) -> Bool

    /// Returns the result, or nil to finish without a value.
    ///
    /// It is called once, at the end.
    mutating func result() throws(Failure) -> Output?
  }
}

extension Publishers.Fold {
  @inlinable public var demand: Subscribers.Demand { .unlimited }
}

extension Publisher {
  /// Applies a fold to this publisher, to make your own operator.
  ///
  /// - Parameter fold: The fold, which is copied for each subscription.
  @inlinable public func through<Machine: Publishers.Fold>(_ fold: Machine)
    -> Publishers.Folded<Self, Machine>
  where Machine.Input == Output, Machine.Failure == Failure {
    Publishers.Folded(self, fold) { $0 }
  }
}

extension Publishers {
  /// A publisher of the one value that a ``Publishers/Fold`` makes from all values.
  ///
  /// It requests the fold's demand from the upstream. The result waits for the downstream's demand.
  /// It arrives on the upstream's thread, or on the thread of a later request.
  @frozen public struct Folded<Upstream: Publisher, Machine: Fold>: Publisher
  where Machine.Input == Upstream.Output {
    public typealias Output = Machine.Output
    public typealias Failure = Machine.Failure

    public let upstream: Upstream
    public let fold: Machine
    @usableFromInline let mapFailure: @Sendable (Upstream.Failure) -> Failure

    /// - Parameters:
    ///   - upstream: The publisher of the values.
    ///   - fold: The fold, which is copied for each subscription.
    ///   - mapFailure: A closure that converts the upstream's failure to the fold's failure.
    @inlinable public init(
      _ upstream: Upstream, _ fold: Machine,
      mapFailure: @escaping @Sendable (Upstream.Failure) -> Failure
    ) {
      self.upstream = upstream
      self.fold = fold
      self.mapFailure = mapFailure
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      upstream.receive(
        subscriber: FoldSubscriber(fold, downstream: subscriber, mapFailure: mapFailure))
    }
  }
}

/// A subscriber that runs a fold between an upstream and a downstream.
@frozen @usableFromInline
struct FoldSubscriber<Machine: Publishers.Fold, Downstream: Subscriber, Failure: Error>: Subscriber
where Machine.Output == Downstream.Input, Machine.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Machine.Input

  @usableFromInline let gate = UpstreamGate()
  @usableFromInline let fold: Confined<Machine>
  @usableFromInline let demand: Subscribers.Demand
  @usableFromInline let single: SingleValueSubscription<Downstream>
  @usableFromInline let mapFailure: @Sendable (Failure) -> Downstream.Failure

  @inlinable init(
    _ fold: Machine, downstream: Downstream,
    mapFailure: @escaping @Sendable (Failure) -> Downstream.Failure
  ) {
    self.fold = Confined(fold)
    demand = fold.demand
    single = SingleValueSubscription(downstream)
    self.mapFailure = mapFailure
  }

  @inlinable var context: SubscriptionContext { single.context }

  @inlinable func receive(subscription: any Subscription) {
    guard gate.admit(subscription, for: Self.self) else { return }
    single.hold(gate)
    single.handOver()
    if gate.isOpen, demand > .none { subscription.request(demand) }
  }

  @inlinable func receive(_ input: Machine.Input) -> Subscribers.Demand {
    guard gate.admitsValue(for: Self.self) else { return .none }
    do throws(Machine.Failure) {
      let needsMore = try fold.access { fold throws(Machine.Failure) in try fold.receive(input) }
      guard let needsMore else {
        ContractViolation.report(.overlap, by: Self.self)
        return .none
      }
      if !needsMore, gate.abort() { resolve() }
    } catch {
      if gate.abort() { single.resolve(.failure(error)) }
    }
    return .none
  }

  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    guard gate.finish(for: Self.self) else { return }
    switch completion {
    case .failure(let error):
      single.resolve(.failure(mapFailure(error)))
    case .finished:
      resolve()
    }
  }

  @inlinable func resolve() {
    do throws(Machine.Failure) {
      let result = try fold.access { fold throws(Machine.Failure) in try fold.result() }
      if let result { single.resolve(.success(result)) }
    } catch {
      single.resolve(.failure(error))
    }
  }
}
