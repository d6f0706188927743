import Dispatch
import Foundation
import StreamsTesting
import Synchronization

/// Runs a body on several threads at once, round after round; all begin a round together.
///
/// - Returns: Whether all threads came to their end within the time.
package func raceEnds(
  threads: Int, rounds: Int = 1, within seconds: Double = 60,
  _ body: @escaping @Sendable (_ round: Int, _ thread: Int) -> Void
) -> Bool {
  let line = StartLine(threads: threads)
  let group = DispatchGroup()
  let live = LiveSubscriptions.current ?? LiveSubscriptions()
  for index in 0..<threads {
    group.enter()
    let thread = Thread {
      live.resume {
        for round in 0..<rounds {
          line.wait(round: round)
          body(round, index)
        }
      }
      group.leave()
    }
    thread.start()
  }
  return group.wait(timeout: .now() + seconds) == .success
}

/// Where threads wait for one another before each round.
private final class StartLine: Sendable {
  private let threads: Int
  private let arrivals = Atomic<Int>(0)

  init(threads: Int) {
    self.threads = threads
  }

  func wait(round: Int) {
    arrivals.add(1, ordering: .acquiringAndReleasing)
    while arrivals.load(ordering: .acquiring) < (round + 1) * threads { sched_yield() }
  }
}
