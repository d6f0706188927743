import Cases
import Dispatch
import Streams

enum Threads {
  static let queue = DispatchQueue(label: "benchmark.streams")

  @inline(never)
  static func receiveOn(_ size: Int) -> Int {
    let sum = Sum()
    let done = DispatchSemaphore(value: 0)
    let held = (0..<size).publisher.receive(on: queue)
      .sink(receiveCompletion: { _ in done.signal() }, receiveValue: { sum.add($0) })
    done.wait()
    withExtendedLifetime(held) {}
    return sum.value
  }

  /// Returns the number of jobs that deliver a burst that comes while the queue is busy.
  static func wakeUps(_ size: Int) -> Int {
    let scheduler = CountingScheduler(queue)
    let done = DispatchSemaphore(value: 0)
    queue.suspend()
    let held = (0..<size).publisher.receive(on: scheduler)
      .sink(receiveCompletion: { _ in done.signal() }, receiveValue: { _ in })
    queue.resume()
    done.wait()
    withExtendedLifetime(held) {}
    return scheduler.jobs
  }

  @inline(never)
  static func values(_ size: Int) -> Int {
    waiting {
      var sum = 0
      for await value in (0..<size).publisher.values { sum &+= value }
      return sum
    }
  }
}
