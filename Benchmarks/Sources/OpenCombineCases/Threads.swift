import Cases
import Dispatch
import OpenCombine
import OpenCombineDispatch

enum Threads {
  static let queue = DispatchQueue(label: "benchmark.opencombine")

  @inline(never)
  static func receiveOn(_ size: Int) -> Int {
    let sum = Sum()
    let done = DispatchSemaphore(value: 0)
    let held = (0..<size).publisher.receive(on: queue.ocombine)
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
