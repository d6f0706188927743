import Dispatch
import Synchronization

/// Blocks the subscribers that come to it, until it is opened or its patience is over.
///
/// Where a transport delivers on threads that the trial needs itself, nobody is left to open it.
final class TransportDoor: Sendable {
  /// Tells of each subscriber that comes, and of each call that ends.
  let arrivals: AsyncStream<Void>
  /// Tells of each call that ends.
  let ends: AsyncStream<Void>

  private let arrival: AsyncStream<Void>.Continuation
  private let end: AsyncStream<Void>.Continuation
  private let semaphore = DispatchSemaphore(value: 0)
  private let hasGivenUp = Atomic(false)
  private let seconds: Int

  /// - Parameter patience: How long it blocks; in whole seconds, and one more.
  init(patience: Duration) {
    (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    (ends, end) = AsyncStream.makeStream(of: Void.self)
    seconds = Int(min(max(patience, .zero), .seconds(86_400)).components.seconds) + 1
  }

  /// Whether a subscriber went on before the door was opened.
  var wasForced: Bool { hasGivenUp.load(ordering: .acquiring) }

  /// Blocks a subscriber.
  func pass() {
    arrival.yield()
    if semaphore.wait(timeout: .now() + .seconds(seconds)) == .timedOut {
      hasGivenUp.store(true, ordering: .releasing)
    }
    // Whoever comes later passes, too.
    semaphore.signal()
  }

  /// Notes the end of a call, which comes alone where there was no value.
  func noteEnd() {
    arrival.yield()
    end.yield()
  }

  /// Lets everybody through.
  func open() { semaphore.signal() }
}
