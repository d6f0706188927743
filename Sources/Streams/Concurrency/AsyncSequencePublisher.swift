extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// A publisher of this sequence's elements.
  ///
  /// Each subscription iterates the sequence in a task of its own, which begins with the first
  /// request. An element is taken from the sequence only on request. The end is therefore found
  /// only when one more element is requested.
  ///
  /// - Demand: Pulls one element for each requested value.
  /// - Errors: The error that the sequence throws, with its type.
  /// - Completion: When a request reaches the end of the sequence.
  /// - Cancellation: Cancels the task. Nothing arrives after that.
  /// - Delivery: In the task, on the global executor.
  /// - Complexity: One task for each subscription, which is suspended while there is no demand.
  public var publisher: Publishers.AsyncElements<Self> {
    Publishers.AsyncElements(sequence: self)
  }
}

extension Publishers {
  /// A publisher of an asynchronous sequence's elements.
  public struct AsyncElements<Elements: AsyncSequence & Sendable>: Publisher
  where Elements.Element: Sendable {
    public typealias Output = Elements.Element
    public typealias Failure = Elements.Failure

    public let sequence: Elements

    public init(sequence: Elements) {
      self.sequence = sequence
    }

    public func receive(subscriber: some Subscriber<Output, Failure>) {
      let pull = AsyncPull(elements: sequence, downstream: subscriber)
      subscriber.receive(subscription: ClosureSubscription(pull))
    }
  }
}

/// A driver that pulls elements in a task, on request.
private final class AsyncPull<Elements: AsyncSequence & Sendable, Downstream: Subscriber>:
  SubscriptionDriver
where Elements.Element == Downstream.Input, Elements.Failure == Downstream.Failure {
  private struct State: Sendable {
    var downstream: Downstream?
    var elements: Elements?
    var demand = Subscribers.Demand.none
    var waiter: CheckedContinuation<Void, Never>?
    var task: Task<Void, Never>?
  }

  private enum Wake: Sendable {
    case nothing
    case start(Elements)
    case resume(CheckedContinuation<Void, Never>)
  }

  private let mark = LeakMark("asyncPull")
  private let state: Lock<State>

  init(elements: Elements, downstream: Downstream) {
    state = Lock(State(downstream: downstream, elements: elements))
  }

  func request(_ demand: Subscribers.Demand) {
    let wake: Wake = state.withLock { state in
      guard state.downstream != nil else { return .nothing }
      state.demand += demand
      if let elements = state.elements.take() { return .start(elements) }
      return state.waiter.take().map { .resume($0) } ?? .nothing
    }
    switch wake {
    case .nothing: break
    case .resume(let waiter): waiter.resume()
    case .start(let elements):
      let task = Task { await run(elements) }
      let isCancelled = state.withLock { state in
        state.task = state.downstream == nil ? nil : task
        return state.downstream == nil
      }
      if isCancelled { task.cancel() }
    }
  }

  func cancel() {
    let (waiter, task, released) = state.withLock { state in
      (state.waiter.take(), state.task.take(), (state.downstream.take(), state.elements.take()))
    }
    task?.cancel()
    waiter?.resume()
    withExtendedLifetime(released) {}
  }

  private func run(_ elements: Elements) async {
    var iterator = elements.makeAsyncIterator()
    while await hasDemand() {
      do throws(Elements.Failure) {
        guard let element = try await iterator.next(isolation: nil) else {
          takeDownstream()?.receive(completion: .finished)
          return
        }
        guard let downstream = claim() else { return }
        let more = downstream.receive(element)
        state.withLock { $0.demand += more }
      } catch {
        takeDownstream()?.receive(completion: .failure(error))
        return
      }
    }
  }

  /// Waits for demand, and returns false if no downstream is left.
  private func hasDemand() async -> Bool {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        guard state.downstream != nil, state.demand == .none else { return true }
        state.waiter = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
    return state.withLock { $0.downstream != nil }
  }

  private func claim() -> Downstream? {
    state.withLock { state in
      state.demand -= 1
      return state.downstream
    }
  }

  private func takeDownstream() -> Downstream? {
    state.withLock { state in
      state.task = nil
      return state.downstream.take()
    }
  }
}
