extension Publisher {
  /// Attaches closures that run on an actor, one signal at a time, and may touch its state.
  ///
  /// ```swift
  /// prices.sink(on: store, receiveCompletion: { _, _ in }) { store, price in
  ///   store.latest = price
  /// }
  /// ```
  ///
  /// A closure that waits makes the next signal wait. The actor is held until the end or a cancel.
  ///
  /// - Demand: As the buffering says; everything by default.
  /// - Errors: Handed to the closure for the end.
  /// - Completion: Handed to the closure for the end, after all values.
  /// - Cancellation: Cancels the upstream and the task in which a closure may wait. After a cancel
  ///   on the actor nothing more arrives; after one from elsewhere, at most the signal in flight.
  /// - Delivery: On the actor, in order.
  /// - Complexity: One task for each subscription.
  ///
  /// - Parameters:
  ///   - actor: Where the closures run: any actor, or the shared instance of a global one.
  ///   - buffering: How far the publisher may run ahead of the actor.
  ///   - receiveCompletion: Runs once, when the stream ends; not after a cancel.
  ///   - receiveValue: Runs for each value.
  /// - Returns: What keeps the subscription alive; dropping it cancels.
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

  /// Attaches a closure that runs on an actor, one value at a time, and may touch its state.
  ///
  /// As ``sink(on:buffering:receiveCompletion:receiveValue:)``, for a stream that cannot fail.
  ///
  /// - Demand: As the buffering says; everything by default.
  /// - Errors: None.
  /// - Completion: Not reported.
  /// - Cancellation: Cancels the upstream and the task in which the closure may wait.
  /// - Delivery: On the actor, in order.
  /// - Complexity: One task for each subscription.
  ///
  /// - Parameters:
  ///   - actor: Where the closure runs: any actor, or the shared instance of a global one.
  ///   - buffering: How far the publisher may run ahead of the actor.
  ///   - receiveValue: Runs for each value.
  /// - Returns: What keeps the subscription alive; dropping it cancels.
  public func sink<Isolation: Actor>(
    on actor: Isolation, buffering: AsyncValues<Self>.Buffering = .unbounded,
    receiveValue: @escaping @Sendable (isolated Isolation, Output) async -> Void
  ) -> AnyCancellable where Failure == Never {
    sink(
      on: actor, buffering: buffering, receiveCompletion: { _, _ in }, receiveValue: receiveValue)
  }
}

/// Takes values from a queue and hands them to closures on an actor.
private struct ActorSink<Isolation: Actor, Output: Sendable, Failure: Error>: Sendable {
  let queue: ValueQueue<Output, Failure>
  let receiveValue: @Sendable (isolated Isolation, Output) async -> Void
  let receiveCompletion:
    @Sendable (isolated Isolation, Subscribers.Completion<Failure>) async -> Void

  /// Being on the actor from here on, it goes from the check for a cancel to the closure without a
  /// chance for a cancel in between.
  func run(on actor: isolated Isolation) async {
    while true {
      let outcome = await queue.next(isolation: actor)
      if Task.isCancelled { return }
      switch outcome {
      case .success(let value?): await receiveValue(actor, value)
      case .success(nil):
        await receiveCompletion(actor, .finished)
        return
      case .failure(let error):
        await receiveCompletion(actor, .failure(error))
        return
      }
    }
  }
}

/// Cancels the task first, which looks whether it is cancelled before it hands on what it took.
private struct ActorSinkTask<Output: Sendable, Failure: Error>: RepeatableCancellable {
  let task: Task<Void, Never>
  let queue: ValueQueue<Output, Failure>

  func cancel() {
    task.cancel()
    queue.cancel()
  }
}
