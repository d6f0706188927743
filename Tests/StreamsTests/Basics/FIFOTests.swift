import Streams
import StreamsFixtures
import Testing

@Suite("FIFO", .leakFree)
struct FIFOTests {
  @Test(
    "Elements come out in the order they went in, also when both calls alternate",
    arguments: 1...20)
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

  @Test("The last element can be replaced and the first match removed, at any position")
  func within() {
    for taken in 0...4 {
      for meant in 0..<4 {
        var queue = FIFO<Int>()
        #expect(queue.replaceLast(9) == nil)
        #expect(queue.removeFirst { _ in true } == nil)
        for value in 0..<4 { queue.append(value) }
        for _ in 0..<taken { _ = queue.popFirst() }
        #expect(queue.removeFirst { $0 == meant } == (meant < taken ? nil : meant))
        var rest = (taken..<max(taken, 4)).filter { $0 != meant }
        #expect(queue.replaceLast(7) == rest.last)
        if !rest.isEmpty { rest[rest.count - 1] = 7 }
        queue.append(8)
        rest.append(8)
        #expect(queue.count == rest.count)
        var left: [Int] = []
        while let value = queue.popFirst() { left.append(value) }
        #expect(left == rest)
        #expect(queue.isEmpty)
      }
    }
  }

  @Test("A FIFO releases the elements that it gave out")
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
