#if os(Linux)
  import Testing

  @testable import RESTKit

  @Suite("When libcurl is to look at all calls")
  struct CurlDoubtTests {
    private var doubt = CurlDoubt()
    private var now = ContinuousClock.now

    private mutating func note(_ waited: Duration) -> Bool {
      now += waited
      return doubt.note(waited, now: now)
    }

    @Test("Each wait in which nothing happens doubles the next one, from 4 to 512 ms")
    mutating func doubles() {
      for expected: Int32 in [4, 8, 16, 32, 64, 128, 256, 512, 512] {
        #expect(doubt.milliseconds == expected)
        let looks = note(.milliseconds(expected))
        #expect(looks)
      }
    }

    @Test("A wait that ends before makes the next one short again, and nobody looks")
    mutating func shortWait() {
      _ = note(.milliseconds(4))
      let looks = note(.milliseconds(8) - .nanoseconds(1))
      #expect(!looks)
      #expect(doubt.milliseconds == 4)
    }

    @Test("While other calls are so busy that no wait is long, there is a look each 512 ms")
    mutating func busy() {
      var looks: [Int] = []
      for millisecond in 0...1_024 where note(.milliseconds(1)) { looks.append(millisecond) }
      #expect(looks == [512, 1_024])
    }
  }
#endif
