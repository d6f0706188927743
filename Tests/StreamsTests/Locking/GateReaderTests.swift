import StreamsFixtures
import Synchronization
import Testing

@testable import Streams

@Suite("A gate that closes while a thread reads its subscription", .leakFree)
struct GateReaderTests {
  private let gate = UpstreamGate()
  private let upstream = CountingSubscription()

  private var isHeld: Bool { gate.upstream is CountingSubscription }

  /// Acts as a reader that has found the gate open and has not copied the subscription yet.
  private func enter() {
    _ = gate.word.add(UpstreamGate.reader, ordering: .relaxed)
  }

  /// Returns whether such a reader finds the subscription.
  private func leave() -> Bool {
    gate.copyAndLeave() is CountingSubscription
  }

  @Test(
    "C-4, C-7: a cancel reaches the upstream, and the last reader releases it", arguments: [1, 2])
  func cancel(readers: Int) {
    _ = gate.admit(upstream, for: Self.self)
    for _ in 0..<readers { enter() }
    gate.cancel()
    #expect(upstream.cancels.count == 1)
    for _ in 0..<readers {
      #expect(isHeld)
      #expect(leave())
    }
    #expect(!isHeld)
    gate.cancel()
    #expect(upstream.cancels.count == 1)
  }

  @Test(
    "C-7: after an end the last reader releases the upstream, even after a cancel",
    arguments: [false, true])
  func finish(isCancelled: Bool) {
    _ = gate.admit(upstream, for: Self.self)
    enter()
    let isFirst = gate.finish(for: Self.self)
    #expect(isFirst)
    if isCancelled { gate.cancel() }
    #expect(isHeld)
    #expect(leave())
    #expect(!isHeld)
    #expect(gate.isCancelled == isCancelled)
    #expect(upstream.cancels.count == 0)
  }

  @Test("C-7: an end without a reader releases the upstream")
  func finishAlone() {
    _ = gate.admit(upstream, for: Self.self)
    #expect(isHeld)
    let isFirst = gate.finish(for: Self.self)
    #expect(isFirst && !isHeld)
  }
}
