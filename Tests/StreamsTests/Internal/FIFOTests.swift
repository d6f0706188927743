import Streams
import Testing

@Suite("FIFO", .leakFree)
struct FIFOTests {
  @Test("It gives out what was put in, in order, however the two are mixed", arguments: 1...20)
  func order(seed: Int) {
    var queue = FIFO<Int>()
    var state = UInt64(seed)
    var added = 0
    var taken = 0
    for _ in 0..<2_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      // The seed decides how the queue grows: the first ones mostly shrink it.
      if state >> 33 % 20 < seed {
        queue.append(added)
        added += 1
      } else if let value = queue.popFirst() {
        #expect(value == taken)
        taken += 1
      } else {
        #expect(taken == added)
      }
      #expect(queue.count == added - taken)
      #expect(queue.isEmpty == (added == taken))
    }
    var rest = queue.takeAll()
    #expect(queue.isEmpty)
    #expect(queue.popFirst() == nil)
    while let value = rest.popFirst() {
      #expect(value == taken)
      taken += 1
    }
    #expect(taken == added)
  }

  @Test("It lets go of what it gave out")
  func release() {
    var queue = FIFO<ReleaseProbe>()
    let probes = (0..<3).map { _ in
      let probe = ReleaseProbe()
      queue.append(probe)
      return Weak(probe)
    }
    _ = queue.popFirst()
    #expect(probes.map(\.isReleased) == [true, false, false])
    _ = queue.takeAll()
    #expect(probes.allSatisfy { $0.isReleased })
  }
}
