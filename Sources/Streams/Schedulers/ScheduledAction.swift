/// Work that runs once, or is taken back and released.
package final class ScheduledAction: Cancellable {
  private let action: Lock<(@Sendable () -> Void)?>

  package init(_ action: @escaping @Sendable () -> Void) {
    self.action = Lock(action)
  }

  package func run() {
    action.withLock { $0.take() }?()
  }

  package func cancel() {
    _ = action.withLock { $0.take() }
  }
}
