extension Publisher {
  /// Attaches closures that run on an actor, one signal at a time, and may access its state.
  ///
  /// ```swift
  /// prices.sink(on: store, receiveCompletion: { _, _ in }) { store, price in
  ///   store.latest = price
  /// }
  /// ```
  ///
  /// While a closure waits, the next signal waits, too. The subscription holds the actor until the
  /// end or a cancel.
  ///
  /// - Demand: As `buffering` says. By default, requests everything.
  /// - Errors: Passed to `receiveCompletion`.
  /// - Completion: Passed to `receiveCompletion`, after all values.
  /// - Cancellation: Cancels the upstream and the task in which a closure may wait. After a cancel
  ///   on the actor, nothing arrives. After a cancel elsewhere, at most the signal in flight
  ///   arrives.
  /// - Delivery: On the actor, in order.
  /// - Complexity: One task for each subscription.
  ///
  /// - Parameters:
  ///   - actor: The actor on which the closures run: any actor, or the shared instance of a global
  ///     actor.
  ///   - buffering: How far the publisher may run ahead of the actor.
  ///   - receiveCompletion: A closure that runs once, when the stream ends, but not after a cancel.
  ///   - receiveValue: A closure that runs for each value.
  /// - Returns: A cancellable that keeps the subscription alive. Releasing it cancels the
  ///   subscription.
  public func sink<Isolation: Actor>(
    on actor: Isolation, buffering: AsyncValues<Self>.Buffering = .unbounded,
    receiveCompletion:
      @escaping @Sendable (isolated Isolation, Subscribers.Completion<Failure>) async -> Void,
    receiveValue: @escaping @Sendable (isolated Isolation, Output) async -> Void
  ) -> AnyCancellable {
    let queue = ValueQueue<Output, Failure>(buffering.demand)
    let work = ActorSink(
      queue: queue, receiveValue: receiveValue, receiveCompletion: receiveCompletion)
    receive(subscriber: queue)
    let task = Task { await work.run(on: actor) }
    return AnyCancellable(ActorSinkTask(task: task, queue: queue))
  }

  /// Attaches a closure that runs on an actor, one value at a time, and may access its state.
  ///
  /// As ``sink(on:buffering:receiveCompletion:receiveValue:)``, for a stream that cannot fail.
  ///
  /// - Demand: As `buffering` says. By default, requests everything.
  /// - Errors: None.
  /// - Completion: Not reported.
  /// - Cancellation: Cancels the upstream and the task in which the closure may wait.
  /// - Delivery: On the actor, in order.
  /// - Complexity: One task for each subscription.
  ///
  /// - Parameters:
  ///   - actor: The actor on which the closure runs: any actor, or the shared instance of a global
  ///     actor.
  ///   - buffering: How far the publisher may run ahead of the actor.
  ///   - receiveValue: A closure that runs for each value.
  /// - Returns: A cancellable that keeps the subscription alive. Releasing it cancels the
  ///   subscription.
  public func sink<Isolation: Actor>(
    on actor: Isolation, buffering: AsyncValues<Self>.Buffering = .unbounded,
    receiveValue: @escaping @Sendable (isolated Isolation, Output) async -> Void
  ) -> AnyCancellable where Failure == Never {
    sink(
      on: actor, buffering: buffering, receiveCompletion: { _, _ in }, receiveValue: receiveValue)
  }
}

extension Publisher {
  /// A stream that can fail ends with a failure, which a closure for values does not receive.
  @available(
    *, unavailable,
    message: """
      this publisher can fail: add receiveCompletion:, or handle the failure first, as with \
      replaceError(with:)
      """
  )
  @_disfavoredOverload
  public func sink<Isolation: Actor>(
    on actor: Isolation, buffering: AsyncValues<Self>.Buffering = .unbounded,
    receiveValue: @escaping @Sendable (isolated Isolation, Output) async -> Void
  ) -> AnyCancellable {
    sink(
      on: actor, buffering: buffering, receiveCompletion: { _, _ in }, receiveValue: receiveValue)
  }
}

/// A loop that takes values from a queue and passes them to closures on an actor.
private struct ActorSink<Isolation: Actor, Output: Sendable, Failure: Error>: Sendable {
  let queue: ValueQueue<Output, Failure>
  let receiveValue: @Sendable (isolated Isolation, Output) async -> Void
  let receiveCompletion:
    @Sendable (isolated Isolation, Subscribers.Completion<Failure>) async -> Void

  /// Takes values and passes them to the closures, on the actor.
  ///
  /// No cancel on the actor can come between the check for a cancel and the call of the closure.
  func run(on actor: isolated Isolation) async {
    while true {
      let outcome = await queue.next(isolation: actor)
      if Task.isCancelled { return }
      switch outcome {
      case .value(let value): await receiveValue(actor, value)
      case .end(let completion):
        await receiveCompletion(actor, completion)
        return
      case .cancelled: return
      }
    }
  }
}

/// A cancellable that cancels the task first.
///
/// The task checks for a cancel before it passes on a value that it took.
private struct ActorSinkTask<Output: Sendable, Failure: Error>: RepeatableCancellable {
  let task: Task<Void, Never>
  let queue: ValueQueue<Output, Failure>

  func cancel() {
    task.cancel()
    queue.cancel()
  }
}
