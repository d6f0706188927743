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
