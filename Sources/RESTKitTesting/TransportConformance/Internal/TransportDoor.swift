import Dispatch
import Synchronization

/// A door that blocks its subscribers until it is opened or its patience is over.
///
/// The patience is needed because a transport may deliver on a thread that the trial needs to open the
/// door.
final class TransportDoor: Sendable {
  /// Sends a value for each subscriber that arrives, and for each call that ends.
  let arrivals: AsyncStream<Void>
  /// Sends a value for each call that ends.
  let ends: AsyncStream<Void>

  private let arrival: AsyncStream<Void>.Continuation
  private let end: AsyncStream<Void>.Continuation
  private let semaphore = DispatchSemaphore(value: 0)
  private let hasGivenUp = Atomic(false)
  private let seconds: Int

  /// - Parameter patience: The time for which it blocks, in whole seconds plus one.
  init(patience: Duration) {
    (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    (ends, end) = AsyncStream.makeStream(of: Void.self)
    seconds = Int(clamping: min(max(patience, .zero), .seconds(86_400)).components.seconds) + 1
  }

  /// Whether a subscriber passed before the door was opened.
  var wasForced: Bool { hasGivenUp.load(ordering: .acquiring) }

  /// Blocks a subscriber.
  func pass() {
    arrival.yield()
    if semaphore.wait(timeout: .now() + .seconds(seconds)) == .timedOut {
      hasGivenUp.store(true, ordering: .releasing)
    }
    // Later subscribers pass, too.
    semaphore.signal()
  }

  /// Records the end of a call; it may come without a value before it.
  func noteEnd() {
    arrival.yield()
    end.yield()
  }

  /// Opens the door for all subscribers.
  func open() { semaphore.signal() }
}
