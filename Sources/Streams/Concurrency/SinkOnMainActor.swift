extension Publisher {
  /// Attaches closures that run on the main actor and may touch its state.
  ///
  /// ```swift
  /// service.fetchProfile.sink(on: .shared) { [weak self] result in self?.show(result) }
  /// ```
  ///
  /// - Demand: Asks for everything.
  /// - Errors: Handed to the closure for the end.
  /// - Completion: Handed to the closure for the end, after all values.
  /// - Cancellation: Final on the main actor: nothing arrives after it, also of what waits.
  /// - Delivery: On the main actor, in order.
  /// - Complexity: O(1) for each value; one job of the main actor for each batch of values.
  ///
  /// - Parameters:
  ///   - actor: The main actor.
  ///   - receiveCompletion: Runs once, when the stream ends; not after a cancel.
  ///   - receiveValue: Runs for each value.
  /// - Returns: What keeps the subscription alive; dropping it cancels.
  public func sink(
    on actor: MainActor,
    receiveCompletion: @escaping @MainActor @Sendable (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @MainActor @Sendable (Output) -> Void
  ) -> AnyCancellable {
    receive(on: .mainActor).sink(
      receiveCompletion: { completion in
        MainActor.assumeIsolated { receiveCompletion(completion) }
      },
      receiveValue: { value in
        MainActor.assumeIsolated { receiveValue(value) }
      })
  }

  /// Attaches one closure that takes each value, or the failure, on the main actor, and may touch its
  /// state.
  ///
  /// ```swift
  /// api.get(endpoint: "orders").sink(on: .shared) { [weak self] result in self?.show(result) }
  /// ```
  ///
  /// - Demand: Asks for everything.
  /// - Errors: Handed to the closure as the last result.
  /// - Completion: Not reported, unless it is a failure.
  /// - Cancellation: Final on the main actor: nothing arrives after it, also of what waits.
  /// - Delivery: On the main actor, in order.
  /// - Complexity: O(1) for each value; one job of the main actor for each batch of values.
  ///
  /// - Parameters:
  ///   - actor: The main actor.
  ///   - receiveResult: Runs for each value and for the failure.
  /// - Returns: What keeps the subscription alive; dropping it cancels.
  public func sink(
    on actor: MainActor,
    receiveResult: @escaping @MainActor @Sendable (Result<Output, Failure>) -> Void
  ) -> AnyCancellable {
    sink(
      on: actor,
      receiveCompletion: { completion in
        if case .failure(let error) = completion { receiveResult(.failure(error)) }
      },
      receiveValue: { receiveResult(.success($0)) })
  }
}

extension Publisher where Failure == Never {
  /// Attaches a closure that runs on the main actor and may touch its state.
  ///
  /// - Demand: Asks for everything.
  /// - Errors: None.
  /// - Completion: Not reported.
  /// - Cancellation: Final on the main actor: nothing arrives after it, also of what waits.
  /// - Delivery: On the main actor, in order.
  /// - Complexity: O(1) for each value; one job of the main actor for each batch of values.
  ///
  /// - Parameters:
  ///   - actor: The main actor.
  ///   - receiveValue: Runs for each value.
  /// - Returns: What keeps the subscription alive; dropping it cancels.
  public func sink(
    on actor: MainActor,
    receiveValue: @escaping @MainActor @Sendable (Output) -> Void
  ) -> AnyCancellable {
    sink(on: actor, receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}
