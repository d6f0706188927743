extension Publisher {
  /// Attaches closures that run on the main actor and may access its state.
  ///
  /// ```swift
  /// service.fetchProfile.sink(on: .mainActor) { [weak self] result in self?.show(result) }
  /// ```
  ///
  /// - Demand: Requests everything.
  /// - Errors: Passed to `receiveCompletion`.
  /// - Completion: Passed to `receiveCompletion`, after all values.
  /// - Cancellation: Final on the main actor: after it, nothing arrives, not even a waiting value.
  /// - Delivery: On the main actor, in order.
  /// - Complexity: O(1) for each value; one job of the main actor for each batch of values.
  ///
  /// - Parameters:
  ///   - actor: The main actor.
  ///   - receiveCompletion: A closure that runs once, when the stream ends, but not after a cancel.
  ///   - receiveValue: A closure that runs for each value.
  /// - Returns: A cancellable that keeps the subscription alive. Releasing it cancels the
  ///   subscription.
  public func sink(
    on actor: MainActor,
    receiveCompletion: @escaping @MainActor @Sendable (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @MainActor @Sendable (Output) -> Void
  ) -> AnyCancellable {
    // The scheduler runs both closures on the main actor, so `assumeIsolated` never traps.
    receive(on: .mainActor).sink(
      receiveCompletion: { completion in
        MainActor.assumeIsolated { receiveCompletion(completion) }
      },
      receiveValue: { value in
        MainActor.assumeIsolated { receiveValue(value) }
      })
  }

  /// Attaches a closure that takes each value, or the failure, on the main actor, and may access
  /// its state.
  ///
  /// ```swift
  /// api.get(endpoint: "orders").sink(on: .mainActor) { [weak self] result in self?.show(result) }
  /// ```
  ///
  /// - Demand: Requests everything.
  /// - Errors: Passed to the closure as the last result.
  /// - Completion: Not reported, unless it is a failure.
  /// - Cancellation: Final on the main actor: after it, nothing arrives, not even a waiting value.
  /// - Delivery: On the main actor, in order.
  /// - Complexity: O(1) for each value; one job of the main actor for each batch of values.
  ///
  /// - Parameters:
  ///   - actor: The main actor.
  ///   - receiveResult: A closure that runs for each value and for the failure.
  /// - Returns: A cancellable that keeps the subscription alive. Releasing it cancels the
  ///   subscription.
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
  /// Attaches a closure that runs on the main actor and may access its state.
  ///
  /// - Demand: Requests everything.
  /// - Errors: None.
  /// - Completion: Not reported.
  /// - Cancellation: Final on the main actor: after it, nothing arrives, not even a waiting value.
  /// - Delivery: On the main actor, in order.
  /// - Complexity: O(1) for each value; one job of the main actor for each batch of values.
  ///
  /// - Parameters:
  ///   - actor: The main actor.
  ///   - receiveValue: A closure that runs for each value.
  /// - Returns: A cancellable that keeps the subscription alive. Releasing it cancels the
  ///   subscription.
  public func sink(
    on actor: MainActor,
    receiveValue: @escaping @MainActor @Sendable (Output) -> Void
  ) -> AnyCancellable {
    sink(on: actor, receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}

extension Publisher {
  /// A stream that can fail ends with a failure, which a closure for values does not receive.
  @available(
    *, unavailable,
    message: """
      this publisher can fail: write sink(on: .mainActor) { result in … } and switch over the Result, \
      or add receiveCompletion:, or handle the failure first, as with replaceError(with:)
      """
  )
  @_disfavoredOverload
  public func sink(
    on actor: MainActor,
    receiveValue: @escaping @MainActor @Sendable (Output) -> Void
  ) -> AnyCancellable {
    sink(on: actor, receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}

extension Publisher where Failure == Never {
  /// Writes each value to a property of an object on the main actor, such as a view model.
  ///
  /// ```swift
  /// search.results.assign(to: \.names, on: self).store(in: &cancellables)
  /// ```
  ///
  /// The subscription does not hold the object, so the object may keep the result in itself. After
  /// the object is released, values are dropped.
  ///
  /// - Demand: Requests everything.
  /// - Errors: None.
  /// - Completion: Not reported.
  /// - Cancellation: Final on the main actor: after it, nothing is written, not even a waiting
  ///   value.
  /// - Delivery: On the main actor, in order.
  /// - Complexity: O(1) for each value; one job of the main actor for each batch of values.
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the property.
  ///   - object: The object to write to.
  /// - Returns: A cancellable that keeps the subscription alive. Releasing it cancels the
  ///   subscription.
  @MainActor public func assign<Root: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root
  ) -> AnyCancellable {
    sink(on: .mainActor) { [weak object] value in object?[keyPath: keyPath] = value }
  }
}

extension MainActor {
  /// The main actor, by the name that schedulers use: `sink(on: .mainActor)`.
  ///
  /// It is `MainActor.shared`.
  public static var mainActor: MainActor { shared }
}
