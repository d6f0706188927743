extension Publisher {
  /// Attaches closures that run on the main actor and may touch its state.
  ///
  /// ```swift
  /// service.fetchProfile.sink(on: .shared) { [weak self] result in self?.show(result) }
  /// ```
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
}

extension Publisher where Failure == Never {
  /// Attaches a closure that runs on the main actor and may touch its state.
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
