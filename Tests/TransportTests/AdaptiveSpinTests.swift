#if os(Linux)
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("An idle thread stays awake while that is worthwhile")
  struct AdaptiveSpinTests {
    private static let start = ContinuousClock.now
    private var spin = AdaptiveSpin()

    private static func at(_ microseconds: Int) -> ContinuousClock.Instant {
      start + .microseconds(microseconds)
    }

    private mutating func expectLook(
      _ expected: Bool, at microseconds: Int, _ location: SourceLocation = #_sourceLocation
    ) {
      let looks = spin.looksAgain(now: Self.at(microseconds))
      #expect(looks == expected, sourceLocation: location)
    }

    /// A wait of the length, which ends with work.
    private mutating func wait(from begin: Int, microseconds: Int) {
      _ = spin.looksAgain(now: Self.at(begin))
      spin.noteWork(now: Self.at(begin + microseconds))
    }

    private mutating func callAlone(times: Int) {
      for _ in 0..<times { spin.noteCall(isAlone: true) }
    }

    @Test("After eight solitary calls and a short wait the thread spins, for less than 100 µs")
    mutating func looksAgainForAWhile() {
      callAlone(times: 8)
      wait(from: 0, microseconds: 129)
      expectLook(true, at: 1_000)
      expectLook(true, at: 1_099)
      expectLook(false, at: 1_100)
    }

    @Test("Seven solitary calls are too few")
    mutating func needsEightCalls() {
      callAlone(times: 7)
      wait(from: 0, microseconds: 10)
      expectLook(false, at: 1_000)
      // The wait before was not looked at, so the next one is the first that counts.
      callAlone(times: 1)
      wait(from: 2_000, microseconds: 10)
      expectLook(true, at: 3_000)
    }

    @Test("Before the first short wait the thread sleeps at once")
    mutating func needsAShortWait() {
      callAlone(times: 8)
      expectLook(false, at: 0)
    }

    @Test("A wait of 130 µs ends the spinning, until another wait is short")
    mutating func longWaitEndsIt() {
      callAlone(times: 8)
      wait(from: 0, microseconds: 10)
      wait(from: 1_000, microseconds: 130)
      expectLook(false, at: 2_000)
      spin.noteWork(now: Self.at(2_020))
      expectLook(true, at: 3_000)
    }

    @Test("Concurrent calls end the spinning, until eight calls were solitary again")
    mutating func companyEndsIt() {
      callAlone(times: 8)
      wait(from: 0, microseconds: 10)
      spin.noteCall(isAlone: false)
      expectLook(false, at: 1_000)
      callAlone(times: 7)
      expectLook(false, at: 1_010)
      callAlone(times: 1)
      expectLook(true, at: 1_020)
    }

    /// A wait that looks for the whole time, and ends behind it; whether it looked at all.
    private mutating func lookInVain(from begin: Int) -> Bool {
      let looks = spin.looksAgain(now: Self.at(begin))
      _ = spin.looksAgain(now: Self.at(begin + 100))
      spin.noteWork(now: Self.at(begin + 120))
      return looks
    }

    /// How many waits that end soon pass before one looks.
    private mutating func waitsWithoutALook(from begin: Int) -> Int {
      for count in 0..<2_000 {
        let place = begin + count * 1_000
        let looks = spin.looksAgain(now: Self.at(place))
        spin.noteWork(now: Self.at(place + 10))
        if looks { return count }
      }
      return 2_000
    }

    @Test("After a spin in vain one wait passes without a spin, then 2, and at most 1,024")
    mutating func learns() {
      callAlone(times: 8)
      wait(from: 0, microseconds: 10)
      var place = 1_000
      for expected in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_024] {
        let looked = lookInVain(from: place)
        #expect(looked)
        place += 10_000_000
        let count = waitsWithoutALook(from: place)
        #expect(count == expected)
        place += 10_000_000
      }
    }

    @Test("Eight successful spins in a row halve the pause after the next one in vain")
    mutating func recovers() {
      callAlone(times: 8)
      wait(from: 0, microseconds: 10)
      var place = 1_000
      func next() -> Int {
        place += 10_000_000
        return place
      }
      for _ in 0..<2 {
        _ = lookInVain(from: next())
        _ = waitsWithoutALook(from: next())
      }
      // The one that ended the pause was the first.
      for _ in 0..<7 { wait(from: next(), microseconds: 10) }
      _ = lookInVain(from: next())
      let afterOneRow = waitsWithoutALook(from: next())
      #expect(afterOneRow == 2)
      for _ in 0..<15 { wait(from: next(), microseconds: 10) }
      _ = lookInVain(from: next())
      let afterTwoRows = waitsWithoutALook(from: next())
      #expect(afterTwoRows == 1)
    }

    @Test("Work that ends no wait changes nothing")
    mutating func workWithoutAWait() {
      callAlone(times: 8)
      wait(from: 0, microseconds: 10)
      spin.noteWork(now: Self.at(50_000))
      expectLook(true, at: 60_000)
    }
  }
#endif
