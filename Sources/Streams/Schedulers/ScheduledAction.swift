/// Work that runs once, or that a cancel releases.
@usableFromInline package final class ScheduledAction: Cancellable {
  private let action: Lock<(@Sendable () -> Void)?>

  @usableFromInline package init(_ action: @escaping @Sendable () -> Void) {
    self.action = Lock(action)
  }

  @usableFromInline package func run() {
    action.withLock { $0.take() }?()
  }

  @usableFromInline package func cancel() {
    _ = action.withLock { $0.take() }
  }
}
