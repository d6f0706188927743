import Dispatch
import Synchronization

/// Blocks the threads that come to it, until somebody lets them pass.
///
/// Whoever makes one opens it at last, so that no thread is left behind.
package final class Door: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let isOpen = Atomic(false)

  package init() {}

  /// Blocks until the door is open, or this thread is let through.
  package func pass() {
    semaphore.wait()
    // A thread that finds the door open leaves it open for the next.
    if isOpen.load(ordering: .acquiring) { semaphore.signal() }
  }

  /// Lets one thread through that is there, or comes.
  package func letOnePass() { semaphore.signal() }

  /// Lets everybody through, from now on.
  package func open() {
    isOpen.store(true, ordering: .releasing)
    semaphore.signal()
  }

  /// Opens it behind a test, and where the test runs out of its time.
  package static func around(_ test: @Sendable (Door) async throws -> Void) async throws {
    let door = Door()
    defer { door.open() }
    try await withTaskCancellationHandler {
      try await test(door)
    } onCancel: {
      door.open()
    }
  }
}
