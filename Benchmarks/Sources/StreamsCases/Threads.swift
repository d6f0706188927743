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

  @inline(never)
  static func values(_ size: Int) -> Int {
    waiting {
      var sum = 0
      for await value in (0..<size).publisher.values { sum &+= value }
      return sum
    }
  }
}
