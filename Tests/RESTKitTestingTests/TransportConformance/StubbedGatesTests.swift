import Streams
import Testing

@testable import RESTKitTesting

@Suite("The gates of a trial's servers in the time of scripts", .timeLimit(.minutes(10)))
struct StubbedGatesTests {
  @Test("The wait for a gate passes when it opens, or at once if it is open")
  func gates() {
    let gates = StubbedGates()
    let (first, second) = (MockGate(), MockGate())
    let waits = [gates.wait(for: first), gates.wait(for: second)]
    let opened = Lock<[Int]>([])
    for (number, wait) in waits.enumerated() {
      _ = gates.schedule(after: wait) { opened.withLock { $0.append(number) } }
    }
    #expect(opened.withLock { $0 }.isEmpty)
    second.open()
    #expect(opened.withLock { $0 } == [1])
    first.open()
    first.open()
    _ = gates.schedule(after: waits[0]) { opened.withLock { $0.append(2) } }
    #expect(opened.withLock { $0 } == [1, 0, 2])
  }

  @Test("A gate holds actions and responses at the same time")
  func held() throws {
    let gate = MockGate()
    let latches = [try gate.latch(), try gate.latch()]
    #expect(latches[0] != nil && latches[0] === latches[1])
    let hasRun = Lock(false)
    gate.whenOpen { hasRun.withLock { $0 = true } }
    #expect(!gate.isOpen && !hasRun.withLock { $0 })
    gate.open()
    #expect(gate.isOpen && hasRun.withLock { $0 })
    let later = try gate.latch()
    #expect(later == nil)
  }

  @Test("All other times are real ones")
  func time() async {
    let gates = StubbedGates()
    let begin = gates.now
    #expect(gates.gate(of: .milliseconds(1)) == nil && gates.gate(of: .zero) == nil)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    _ = gates.schedule(after: .milliseconds(5)) { end.yield() }
    gates.schedule { end.yield() }
    for await _ in ends.prefix(2) {}
    #expect(gates.now - begin >= .milliseconds(5))
  }
}
