import Dispatch
import Streams
import Synchronization

/// Gives one answer to those who wait for it, one after another, and lets none who blocks hold up the others.
///
/// They get it on the thread that brings it, in the order in which they came. Where one delivery takes longer
/// than a tenth of a second, another thread goes on with those behind it, and is watched in its turn: so there
/// are as many threads as there are callers who block, up to what Dispatch has.
final class SharedDelivery: Sendable {
  private let outcome: SharedExchangeCaller.Outcome
  private let callers: [SharedExchangeCaller]
  /// The place of the next one.
  private let next = Atomic(0)

  /// A delivery that is seen under way at two looks blocks.
  ///
  /// It is long beside any work and beside a thread's wait for a processor, so that the order holds where nobody
  /// blocks.
  private static let timeBetweenLooks = DispatchTimeInterval.milliseconds(50)

  /// - Parameter callers: In the order in which they came.
  init(of outcome: SharedExchangeCaller.Outcome, to callers: [SharedExchangeCaller]) {
    self.outcome = outcome
    self.callers = callers
  }

  /// Delivers, till nobody is left that no other thread delivers to.
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

  /// Looks after a while whether a delivery is still the one that was under way before.
  ///
  /// - Parameter last: The place that was next at the look before this one.
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
