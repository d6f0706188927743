extension Publishers {
  /// A state machine of value type that makes any number of values from one.
  ///
  /// ``Publisher/through(_:)->Publishers.Split<Self,Machine>`` makes an operator from it. The
  /// splitter receives a value. Its parts are then taken one at a time, as the downstream requests
  /// them, until there are no more. Each subscription works on its own copy. No other thread works
  /// on it meanwhile, so a splitter needs no lock for its state.
  public protocol Splitter<Input, Output, InputFailure, Failure>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable
    associatedtype InputFailure: Error
    associatedtype Failure: Error

    /// Receives a value, after all parts of the previous one were taken.
    ///
    /// - Throws: The failure of the stream. The upstream is cancelled.
    mutating func receive(_ input: Input) throws(Failure)

    /// Returns the next part, or nil if it needs another value, or the end, to make one.
    ///
    /// - Throws: The failure of the stream. The upstream is cancelled.
    mutating func next() throws(Failure) -> Output?

    /// Receives the end, and returns how the stream ends after ``next()`` has returned the
    /// remaining parts.
    mutating func end(
      _ completion: Subscribers.Completion<InputFailure>
    ) -> Subscribers.Completion<Failure>
  }
}

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
