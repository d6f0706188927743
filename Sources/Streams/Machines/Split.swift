extension Publisher {
  /// Puts a splitter behind the publisher: what an operator of one's own is made of.
  ///
  /// One that changes the failure goes into ``Publishers/Split/init(_:_:)``.
  ///
  /// - Parameter splitter: Copied for each subscription.
  @inlinable public func through<Machine: Publishers.Splitter>(_ splitter: Machine)
    -> Publishers.Split<Self, Machine>
  where Machine.Input == Output, Machine.InputFailure == Failure, Machine.Failure == Failure {
    Publishers.Split(self, splitter)
  }
}

extension Publishers {
  /// A publisher of what a ``Publishers/Splitter`` makes of each value.
  ///
  /// The upstream is asked for everything where the downstream asks for everything, and for one value at
  /// a time otherwise: the next one when nothing is left of the one before. An end waits until what came
  /// before it is delivered. Values arrive where the upstream delivers, or where demand comes.
  @frozen public struct Split<Upstream: Publisher, Machine: Splitter>: Publisher
  where Machine.Input == Upstream.Output, Machine.InputFailure == Upstream.Failure {
    public typealias Output = Machine.Output
    public typealias Failure = Machine.Failure

    public let upstream: Upstream
    public let splitter: Machine

    /// - Parameters:
    ///   - upstream: Where the values come from.
    ///   - splitter: Copied for each subscription.
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

/// Takes the signals of a splitter's upstream.
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
