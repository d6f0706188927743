import Dispatch
import Streams
import Synchronization

/// The delivery of one response to its callers, one after another.
///
/// A caller that blocks does not delay the others.
///
/// Callers receive the response on the thread that delivers it, in the order of their arrival. If
/// one delivery takes longer than a tenth of a second, a delivery thread continues with the later
/// callers, and is watched, too. If callers block all delivery threads, the later ones wait for one
/// of these.
final class SharedDelivery: Sendable {
  private let outcome: ResponseSubscription.Outcome
  private let callers: [ResponseSubscription]
  private let threads: DeliveryThreads
  /// The position of the next caller.
  private let next = Atomic(0)
  /// Whether a thread was asked for and has not begun.
  private let awaitsThread = Atomic(false)

  /// The time between two checks.
  ///
  /// A delivery that is running at two checks counts as blocked.
  ///
  /// It is long compared to any work and to a thread's wait for a processor, so that the order is
  /// kept if no caller blocks.
  private static let timeBetweenLooks = DispatchTimeInterval.milliseconds(50)

  /// - Parameters:
  ///   - callers: The callers in the order of their arrival.
  ///   - threads: The threads that deliver behind a caller that blocks.
  init(
    of outcome: ResponseSubscription.Outcome, to callers: [ResponseSubscription],
    on threads: DeliveryThreads
  ) {
    self.outcome = outcome
    self.callers = callers
    self.threads = threads
  }

  /// Delivers until no caller is left to this thread.
  func run() {
    look(atLast: nil)
    deliver()
  }

  private func deliver() {
    while true {
      let place = next.add(1, ordering: .relaxed).oldValue
      guard place < callers.count else { return }
      callers[place].resolve(outcome)
    }
  }

  /// Checks after a while whether the same delivery is still running.
  ///
  /// - Parameter last: The next position at the previous check.
  private func look(atLast last: Int?) {
    threads.check(after: Self.timeBetweenLooks) { [weak self] in
      guard let self else { return }
      let place = next.load(ordering: .relaxed)
      guard place < callers.count else { return }
      look(atLast: place)
      guard place == last, !awaitsThread.exchange(true, ordering: .relaxed) else { return }
      threads.run { [self] in
        awaitsThread.store(false, ordering: .relaxed)
        deliver()
      }
    }
  }
}
