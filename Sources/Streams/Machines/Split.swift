extension Publisher {
  /// Applies a splitter to this publisher, to make your own operator.
  ///
  /// For a splitter that changes the failure type, use ``Publishers/Split/init(_:_:)``.
  ///
  /// - Parameter splitter: The splitter, which is copied for each subscription.
  @inlinable public func through<Machine: Publishers.Splitter>(_ splitter: Machine)
    -> Publishers.Split<Self, Machine>
  where Machine.Input == Output, Machine.InputFailure == Failure, Machine.Failure == Failure {
    Publishers.Split(self, splitter)
  }
}

extension Publishers {
  /// A publisher of the values that a ``Publishers/Splitter`` makes from each value.
  ///
  /// It requests everything from the upstream if the downstream requests everything. Otherwise it
  /// requests one value at a time, after all parts of the previous value are delivered. The end
  /// waits until all values before it are delivered. Values arrive on the upstream's thread, or on
  /// the thread of the request.
  @frozen public struct Split<Upstream: Publisher, Machine: Splitter>: Publisher
  where Machine.Input == Upstream.Output, Machine.InputFailure == Upstream.Failure {
    public typealias Output = Machine.Output
    public typealias Failure = Machine.Failure

    public let upstream: Upstream
    public let splitter: Machine

    /// - Parameters:
    ///   - upstream: The publisher of the values.
    ///   - splitter: The splitter, which is copied for each subscription.
    @inlinable public init(_ upstream: Upstream, _ splitter: Machine) {
      self.upstream = upstream
      self.splitter = splitter
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      upstream.receive(
        subscriber: SplitSubscriber(driver: SplitDriver(splitter, downstream: subscriber)))
    }
  }
}

/// A subscriber that takes the signals of a splitter's upstream.
@frozen @usableFromInline
struct SplitSubscriber<Machine: Publishers.Splitter, Downstream: Subscriber>: Subscriber
where Machine.Output == Downstream.Input, Machine.Failure == Downstream.Failure {
  @usableFromInline let driver: SplitDriver<Machine, Downstream>

  @inlinable init(driver: SplitDriver<Machine, Downstream>) {
    self.driver = driver
  }

  @inlinable var context: SubscriptionContext { driver.context }

  @inlinable func receive(subscription: any Subscription) {
    guard driver.gate.admit(subscription, for: Self.self) else { return }
    driver.handOver()
  }

  @inlinable func receive(_ input: Machine.Input) -> Subscribers.Demand {
    guard driver.gate.admitsValue(for: Self.self) else { return .none }
    return driver.take(input)
  }

  @inlinable func receive(completion: Subscribers.Completion<Machine.InputFailure>) {
    guard driver.gate.finish(for: Self.self) else { return }
    driver.end(completion)
  }
}
