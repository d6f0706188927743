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
  @inlinable
  public func breakpoint(
    receiveSubscription: (@Sendable (any Subscription) -> Bool)? = nil,
    receiveOutput: (@Sendable (Output) -> Bool)? = nil,
    receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Bool)? = nil
  ) -> Publishers.Breakpoint<Self> {
    Publishers.Breakpoint(
      upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
      receiveCompletion: receiveCompletion)
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
  @inlinable
  public func breakpointOnError() -> Publishers.Breakpoint<Self> {
    breakpoint(receiveCompletion: { completion in
      if case .failure = completion { true } else { false }
    })
  }
}

extension Publishers {
  /// A publisher that stops in the debugger when a closure says so.
  @frozen
  public struct Breakpoint<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let receiveSubscription: (@Sendable (any Subscription) -> Bool)?
    public let receiveOutput: (@Sendable (Output) -> Bool)?
    public let receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Bool)?
    @usableFromInline let stop: @Sendable () -> Void

    /// - Parameter stop: What to do instead of raising SIGTRAP.
    @inlinable
    public init(
      upstream: Upstream,
      receiveSubscription: (@Sendable (any Subscription) -> Bool)? = nil,
      receiveOutput: (@Sendable (Output) -> Bool)? = nil,
      receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Bool)? = nil,
      stop: (@Sendable () -> Void)? = nil
    ) {
      self.upstream = upstream
      self.receiveSubscription = receiveSubscription
      self.receiveOutput = receiveOutput
      self.receiveCompletion = receiveCompletion
      self.stop = stop ?? { stopInDebugger() }
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      upstream.handleEvents(
        receiveSubscription: receiveSubscription.map { stopping(if: $0) },
        receiveOutput: receiveOutput.map { stopping(if: $0) },
        receiveCompletion: receiveCompletion.map { stopping(if: $0) }
      ).receive(subscriber: subscriber)
    }

    @inlinable
    func stopping<Item>(
      if isReason: @escaping @Sendable (Item) -> Bool
    ) -> @Sendable (Item) -> Void {
      { [stop] item in if isReason(item) { stop() } }
    }
  }
}
