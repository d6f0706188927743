extension Publisher {
  /// Stops in the debugger when a closure says so.
  ///
  /// It raises SIGTRAP, which ends a process that has no debugger attached, where the system has
  /// that signal. Tests and apps with a way of their own to stop give it to
  /// ``Publishers/Breakpoint``.
  ///
  /// ```marble
  /// source: --1--2--|
  /// breakpoint(receiveOutput: { $0 > 2 })
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - receiveSubscription: Whether to stop at the subscription.
  ///   - receiveOutput: Whether to stop at a value.
  ///   - receiveCompletion: Whether to stop at the end.
  @inlinable public func breakpoint(
    receiveSubscription: (@Sendable (any Subscription) -> Bool)? = nil,
    receiveOutput: (@Sendable (Output) -> Bool)? = nil,
    receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Bool)? = nil
  ) -> Publishers.Breakpoint<Self> {
    handleEvents(
      receiveSubscription: receiveSubscription.map { stopping(if: $0) },
      receiveOutput: receiveOutput.map { stopping(if: $0) },
      receiveCompletion: receiveCompletion.map { stopping(if: $0) })
  }

  /// Stops in the debugger when the publisher fails.
  ///
  /// It raises SIGTRAP, as ``breakpoint(receiveSubscription:receiveOutput:receiveCompletion:)``
  /// does.
  ///
  /// ```marble
  /// source: --1--2--|
  /// breakpointOnError()
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  @inlinable public func breakpointOnError() -> Publishers.Breakpoint<Self> {
    breakpoint(receiveCompletion: { completion in
      if case .failure = completion { true } else { false }
    })
  }
}

extension Publishers {
  /// A publisher that stops in the debugger when a closure says so.
  public typealias Breakpoint<Upstream: Publisher> = HandleEvents<Upstream>
}

@inlinable func stopping<Item>(
  if isReason: @escaping @Sendable (Item) -> Bool
) -> @Sendable (Item) -> Void {
  { if isReason($0) { stopInDebugger() } }
}
