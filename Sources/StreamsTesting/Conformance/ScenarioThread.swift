import Dispatch
import Foundation
import Synchronization

/// The threads of the kit's provocations.
enum ScenarioThread {
  /// The stack size of a secondary thread on Apple's systems.
  static let stackSize = 512 * 1024

  /// Runs a body on its own thread and waits for it.
  ///
  /// - Returns: Whether it returned within the time. A deadlock does not return.
  static func runs(within limit: Duration, _ body: @escaping @Sendable () -> Void) -> Bool {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      body()
      done.signal()
    }
    thread.stackSize = stackSize
    thread.start()
    return done.wait(timeout: .now() + limit.inSeconds) == .success
  }

  /// Runs a body on several threads that begin together, and waits for all.
  static func race(_ threads: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
    let arrivals = RaceLine()
    let group = DispatchGroup()
    for index in 0..<threads {
      group.enter()
      let thread = Thread {
        arrivals.wait(for: threads)
        body(index)
        group.leave()
      }
      thread.stackSize = stackSize
      thread.start()
    }
    group.wait()
  }

  /// Returns the present position in the stack of this thread.
  ///
  /// The numbers get smaller as calls nest.
  @inline(never)
  static func stackPosition() -> UInt {
    var marker: UInt8 = 0
    return withUnsafeMutablePointer(to: &marker) { UInt(bitPattern: $0) }
  }
}

/// A line at which threads wait for one another.
private final class RaceLine: Sendable {
  private let arrivals = Atomic<Int>(0)

  func wait(for threads: Int) {
    arrivals.add(1, ordering: .acquiringAndReleasing)
    while arrivals.load(ordering: .acquiring) < threads { sched_yield() }
  }
}

extension Duration {
  var inSeconds: TimeInterval { self / .seconds(1) }
}
