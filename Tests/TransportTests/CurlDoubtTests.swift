#if os(Linux)
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("libcurl's occasional check of all calls")
  struct CurlDoubtTests {
    private var doubt = CurlDoubt()
    private var now = ContinuousClock.now

    private mutating func note(_ waited: Duration) -> Bool {
      now += waited
      return doubt.note(waited, now: now)
    }

    @Test("Each wait without an event doubles the next one, from 4 to 512 ms")
    mutating func doubles() {
      for expected: Int32 in [4, 8, 16, 32, 64, 128, 256, 512, 512] {
        #expect(doubt.milliseconds == expected)
        let looks = note(.milliseconds(expected))
        #expect(looks)
      }
    }

    @Test("A wait that ends early resets the next one, without a check")
    mutating func shortWait() {
      _ = note(.milliseconds(4))
      let looks = note(.milliseconds(8) - .nanoseconds(1))
      #expect(!looks)
      #expect(doubt.milliseconds == 4)
    }

    @Test("While other calls keep all waits short, a check happens every 512 ms")
    mutating func busy() {
      var looks: [Int] = []
      for millisecond in 0...1_024 where note(.milliseconds(1)) { looks.append(millisecond) }
      #expect(looks == [512, 1_024])
    }
  }
#endif
