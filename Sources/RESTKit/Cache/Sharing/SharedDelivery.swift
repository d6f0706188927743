import Dispatch
import Streams
import Synchronization

/// The delivery of one response to its callers, one after another.
///
/// A caller that blocks does not delay the others.
///
/// Callers receive the response on the thread that delivers it, in the order of their arrival. If one
/// delivery takes longer than a tenth of a second, another thread continues with the later callers.
/// That thread is watched, too. So there are at most as many threads as blocking callers, up to the
/// limit of Dispatch.
final class SharedDelivery: Sendable {
  private let outcome: ResponseSubscription.Outcome
  private let callers: [ResponseSubscription]
  /// The position of the next caller.
  private let next = Atomic(0)

  /// The time between two checks.
  ///
  /// A delivery that is running at two checks counts as blocked.
  ///
  /// It is long compared to any work and to a thread's wait for a processor, so that the order is kept
  /// if no caller blocks.
  private static let timeBetweenLooks = DispatchTimeInterval.milliseconds(50)

  /// - Parameter callers: The callers in the order of their arrival.
  init(of outcome: ResponseSubscription.Outcome, to callers: [ResponseSubscription]) {
    self.outcome = outcome
    self.callers = callers
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
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.timeBetweenLooks) { [weak self] in
      guard let self else { return }
      let place = next.load(ordering: .relaxed)
      guard place < callers.count else { return }
      look(atLast: place)
      if place == last { deliver() }
    }
  }
}
