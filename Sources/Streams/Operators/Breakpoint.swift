#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

extension Publisher {
  /// Stops in the debugger when a closure returns true.
  ///
  /// The operator raises SIGTRAP, if the system has this signal. SIGTRAP ends a process that has no
  /// debugger attached. To stop in another way, in tests or in an app, create a
  /// ``Publishers/Breakpoint`` with your own closures.
  ///
  /// ```marble
  /// source: --1--2--|
  /// breakpoint(receiveOutput: { $0 > 2 })
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - receiveSubscription: A closure that returns whether to stop at the subscription.
  ///   - receiveOutput: A closure that returns whether to stop at a value.
  ///   - receiveCompletion: A closure that returns whether to stop at the completion.
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
  /// The operator raises SIGTRAP, as
  /// ``breakpoint(receiveSubscription:receiveOutput:receiveCompletion:)`` does.
  ///
  /// ```marble
  /// source: --1--2--|
  /// breakpointOnError()
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  @inlinable public func breakpointOnError() -> Publishers.Breakpoint<Self> {
    breakpoint(receiveCompletion: { completion in
      if case .failure = completion { true } else { false }
    })
  }
}

extension Publishers {
  /// A publisher that stops in the debugger when a closure returns true.
  public typealias Breakpoint<Upstream: Publisher> = HandleEvents<Upstream>
}

@inlinable func stopping<Item>(
  if isReason: @escaping @Sendable (Item) -> Bool
) -> @Sendable (Item) -> Void {
  { if isReason($0) { stopInDebugger() } }
}

/// Stops in the attached debugger by raising SIGTRAP.
///
/// Without a debugger, SIGTRAP ends the process.
@usableFromInline func stopInDebugger() {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    raise(SIGTRAP)
  #endif
}
