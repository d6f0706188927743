extension Publisher {
  /// This publisher's values as an asynchronous sequence that throws its failure.
  ///
  /// Nothing is dropped silently: see ``AsyncValues/Buffering`` for what happens when values come
  /// faster than they are taken. Each iteration subscribes anew.
  ///
  /// - Demand: As the buffering says; one more for each value that is taken.
  /// - Errors: Thrown with their type, after the values that wait.
  /// - Completion: Ends the loop, after the values that wait.
  /// - Cancellation: Leaving the loop, or cancelling the task, cancels the subscription.
  /// - Delivery: In the task that iterates.
  /// - Complexity: O(1) for each value; a task waits only where no value does.
  ///
  /// - Parameter buffering: How far the publisher may run ahead.
  public func values(
    buffering: AsyncValues<Self>.Buffering = .prefetch(256)
  ) -> AsyncValues<Self> {
    AsyncValues(publisher: self, buffering: buffering)
  }

  /// This publisher's values as an asynchronous sequence that throws its failure.
  ///
  /// As ``values(buffering:)``, with its default.
  ///
  /// - Demand: Up to 256 values ahead; one more for each value that is taken.
  /// - Errors: Thrown with their type, after the values that wait.
  /// - Completion: Ends the loop, after the values that wait.
  /// - Cancellation: Leaving the loop, or cancelling the task, cancels the subscription.
  /// - Delivery: In the task that iterates.
  /// - Complexity: O(1) for each value; a task waits only where no value does.
  public var values: AsyncValues<Self> { values() }
}

/// A publisher's values as an asynchronous sequence.
public struct AsyncValues<Upstream: Publisher>: AsyncSequence, Sendable {
  public typealias Element = Upstream.Output
  public typealias Failure = Upstream.Failure

  /// How far a publisher may run ahead of the task that takes its values.
  public enum Buffering: Sendable, Equatable {
    /// Asks for so many values ahead, and for more as they are taken. A publisher that waits for
    /// demand waits; a subject that is sent more than that ahead of the task drops the excess, as
    /// it does for any subscriber without demand.
    case prefetch(Int)
    /// Asks for everything at once and keeps whatever comes, however much it is.
    case unbounded

    var demand: Subscribers.Demand {
      switch self {
      case .prefetch(let count): .max(Swift.max(count, 1))
      case .unbounded: .unlimited
      }
    }
  }

  let publisher: Upstream
  let buffering: Buffering

  public func makeAsyncIterator() -> Iterator {
    let queue = ValueQueue<Upstream.Output, Upstream.Failure>(buffering.demand)
    publisher.receive(subscriber: queue)
    return Iterator(queue: queue)
  }

  /// Takes one value after another.
  ///
  /// Dropping it cancels the subscription.
  public struct Iterator: AsyncIteratorProtocol {
    let queue: ValueQueue<Upstream.Output, Upstream.Failure>
    // Held so that the subscription ends when the last copy of the iterator goes.
    let lifetime: AnyCancellable

    init(queue: ValueQueue<Upstream.Output, Upstream.Failure>) {
      self.queue = queue
      lifetime = AnyCancellable(queue)
    }

    /// The next value, or nil at the end, after a cancel, and ever after.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Upstream.Failure) -> Upstream.Output? {
      try await queue.next(isolation: actor).get()
    }

    public mutating func next() async throws(Upstream.Failure) -> Upstream.Output? {
      try await next(isolation: nil)
    }
  }
}

/// Keeps values until the task takes them.
final class ValueQueue<Input: Sendable, Failure: Error>: Subscriber, Cancellable {
  typealias Outcome = Result<Input?, Failure>

  private struct State: Sendable {
    var waiting = FIFO<Input>()
    var end: Subscribers.Completion<Failure>?
    var taker: CheckedContinuation<Outcome, Never>?
  }

  private let mark = LiveMark(.valueQueue)
  private let demand: Subscribers.Demand
  private let gate = UpstreamGate()
  private let state = Lock(State())

  init(_ demand: Subscribers.Demand) {
    self.demand = demand
  }

  func receive(subscription: any Subscription) {
    if gate.admit(subscription, for: Self.self) { subscription.request(demand) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard gate.isOpen else {
      gate.reportStrayValue(for: Self.self)
      return .none
    }
    let taker = state.withLock { state in
      guard let taker = state.taker.take() else {
        state.waiting.append(input)
        return nil as CheckedContinuation<Outcome, Never>?
      }
      return taker
    }
    guard let taker else { return .none }
    taker.resume(returning: .success(input))
    return .max(1)
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    guard gate.finish(for: Self.self) else { return }
    end(completion)
  }

  func cancel() {
    gate.cancel()
    let (taker, released) = state.withLock { state in
      state.end = .finished
      return (state.taker.take(), state.waiting.takeAll())
    }
    withExtendedLifetime(released) {}
    taker?.resume(returning: .success(nil))
  }

  private func end(_ completion: Subscribers.Completion<Failure>) {
    let taker = state.withLock { state in
      guard let taker = state.taker.take() else {
        if state.end == nil { state.end = completion }
        return nil as CheckedContinuation<Outcome, Never>?
      }
      state.end = .finished
      return taker
    }
    taker?.resume(returning: completion.outcome())
  }

  func next(isolation: isolated (any Actor)?) async -> Outcome {
    await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { continuation in
        take(for: continuation)
      }
    } onCancel: {
      cancel()
    }
  }

  private func take(for taker: CheckedContinuation<Outcome, Never>) {
    let (outcome, mustRequest) = state.withLock { state in
      if let value = state.waiting.popFirst() {
        return (.success(value) as Outcome?, state.end == nil)
      }
      guard let end = state.end else {
        state.taker = taker
        return (nil, false)
      }
      state.end = .finished
      return (end.outcome(), false)
    }
    if let outcome { taker.resume(returning: outcome) }
    if mustRequest { gate.current?.request(.max(1)) }
  }
}

extension Subscribers.Completion {
  /// What the task that waits for a value gets instead.
  fileprivate func outcome<Value>() -> Result<Value?, Failure> {
    switch self {
    case .finished: .success(nil)
    case .failure(let error): .failure(error)
    }
  }
}
