extension Publisher where Failure == Never {
  /// Writes each value to a property of an object that lives on the main actor, such as a view model.
  ///
  /// ```swift
  /// search.results.assign(to: \.names, on: self).store(in: &cancellables)
  /// ```
  ///
  /// The object is not held: it may keep the result in itself. Once it is released, values are dropped.
  ///
  /// - Demand: Asks for everything.
  /// - Errors: None.
  /// - Completion: Not reported.
  /// - Cancellation: Final on the main actor: nothing is written after it, also of what waits.
  /// - Delivery: On the main actor, in order.
  /// - Complexity: O(1) for each value; one job of the main actor for each batch of values.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - object: The object.
  /// - Returns: What keeps the subscription alive; dropping it cancels.
  @MainActor public func assign<Root: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root
  ) -> AnyCancellable {
    sink(on: .shared) { [weak object] value in object?[keyPath: keyPath] = value }
  }
}
