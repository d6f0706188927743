import Fixtures
import Foundation

/// Threads that take turns, one step of one of them at a time, in every order there is.
///
/// A lane runs until it comes to a ``step()``, and goes on when it is chosen again. So what threads
/// do to each other between two calls of a store happens here for certain: the code under test is
/// the real one, and knows nothing of it.
enum SteppedLanes {
  /// The index that was chosen, and the number of choices.
  private struct Choice {
    var index: Int
    let count: Int
  }

  private final class Lane: @unchecked Sendable {
    private let mayRun = DispatchSemaphore(value: 0)
    private let hasPaused = DispatchSemaphore(value: 0)
    // Written by the lane before it pauses, and read after that.
    private(set) var isOver = false

    init(_ work: @escaping @Sendable () -> Void) {
      let thread = Thread { [self] in
        Thread.current.threadDictionary[SteppedLanes.key] = self
        mayRun.wait()
        work()
        Thread.current.threadDictionary.removeObject(forKey: SteppedLanes.key)
        isOver = true
        hasPaused.signal()
      }
      thread.start()
    }

    /// Lets it go on to its next step, and waits until it is there.
    func run() {
      mayRun.signal()
      hasPaused.wait()
    }

    func pause() {
      hasPaused.signal()
      mayRun.wait()
    }
  }

  private static let key = "SteppedLanes.lane"

  /// Lets the other lanes go ahead, or not; does nothing on a thread that is no lane.
  static func step() {
    (Thread.current.threadDictionary[key] as? Lane)?.pause()
  }

  /// Runs lanes in all orders, each from a new start.
  ///
  /// - Parameters:
  ///   - start: Makes the lanes, and what says afterwards whether all is well: a fault, or nil.
  /// - Returns: How many orders there were.
  /// - Throws: The first fault, with its order.
  static func explore(
    _ start: () -> (lanes: [@Sendable () -> Void], fault: () -> String?)
  ) throws -> Int {
    var choices: [Choice] = []
    var count = 0
    repeat {
      let (work, fault) = start()
      choices = run(work, choices)
      count += 1
      if let fault = fault() {
        throw Astray(description: "in the order \(choices.map(\.index)): \(fault)")
      }
      // The next order is that of an odometer.
      while let last = choices.last, last.index + 1 == last.count { choices.removeLast() }
      if !choices.isEmpty { choices[choices.count - 1].index += 1 }
    } while !choices.isEmpty
    return count
  }

  private static func run(
    _ work: [@Sendable () -> Void], _ given: [Choice]
  ) -> [Choice] {
    var lanes = work.map(Lane.init)
    var taken: [Choice] = []
    while !lanes.isEmpty {
      let index = taken.count < given.count ? given[taken.count].index : 0
      taken.append(Choice(index: index, count: lanes.count))
      lanes[index].run()
      if lanes[index].isOver { lanes.remove(at: index) }
    }
    return taken
  }
}
