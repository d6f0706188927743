import Streams
import StreamsTesting
import Testing

@Suite("Interleaving", .leakFree)
struct InterleavingTests {
  @Test("Lanes take the given turns, each in its own order, and the remaining steps come last")
  func merged() {
    let interleaving = Interleaving(turns: [1, 0, 0, 1, 2])
    #expect(interleaving.merged([1, 2, 3], [10], []) == [10, 1, 2, 3])
    let ran = Recorder()
    interleaving.run([{ ran.add("a") }, { ran.add("b") }], [{ ran.add("c") }, { ran.add("d") }])
    #expect(ran.entries == ["c", "a", "b", "d"])
    #expect("\(interleaving)" == "turns 1 0 0 1 2")
  }

  @Test(
    "every() returns each order once",
    arguments: [([2, 2], 6), ([3, 2, 1], 60), ([0, 0], 1), ([3], 1), ([1, 1, 1], 6)])
  func every(lengths: [Int], count: Int) {
    let all =
      switch lengths.count {
      case 1: Array(Interleaving.every(lengths[0]))
      case 2: Array(Interleaving.every(lengths[0], lengths[1]))
      default: Array(Interleaving.every(lengths[0], lengths[1], lengths[2]))
      }
    #expect(all.count == count)
    #expect(Set(all).count == count)
    for interleaving in all {
      for (lane, length) in lengths.enumerated() {
        #expect(interleaving.turns.count { $0 == lane } == length)
      }
    }
  }

  @Test("A seed draws one order, and many seeds draw all of them")
  func drawn() {
    #expect(Interleaving(of: 3, 3, seed: 5) == Interleaving(of: 3, 3, seed: 5))
    #expect(Set(Interleaving.drawn(2, 2, seeds: 0..<200)).count == 6)
  }

  @Test("A failure names its order, and that order reproduces it")
  func failure() throws {
    let found = #expect(throws: InterleavingFailure.self) {
      try Interleaving.explore(Interleaving.every(1, 2)) { interleaving in
        if interleaving.turns == [1, 0, 1] { throw CancellationError() }
      }
    }
    #expect(try #require(found).order == "turns 1 0 1")
    #expect(try #require(found).underlying is CancellationError)
    #expect("\(try #require(found))" == "turns 1 0 1: CancellationError()")
  }
}

/// A record of events, in order.
private final class Recorder: Sendable {
  private let state = Lock<[String]>([])

  var entries: [String] { state.withLock { $0 } }

  func add(_ entry: String) { state.withLock { $0.append(entry) } }
}
