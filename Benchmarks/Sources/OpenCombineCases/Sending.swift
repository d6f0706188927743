import Cases
import OpenCombine

enum Sending {
  @inline(never)
  static func passthrough(_ size: Int, to subscribers: Int) -> Int {
    let sum = Sum()
    let subject = PassthroughSubject<Int, Never>()
    let held = (0..<subscribers).map { _ in subject.sink { sum.add($0) } }
    for number in 0..<size { subject.send(number) }
    withExtendedLifetime(held) {}
    return sum.value
  }

  @inline(never)
  static func currentValue(_ size: Int) -> Int {
    let sum = Sum()
    let subject = CurrentValueSubject<Int, Never>(0)
    let held = subject.sink { sum.add($0) }
    for number in 0..<size { subject.send(number) }
    withExtendedLifetime(held) {}
    return sum.value
  }
}
