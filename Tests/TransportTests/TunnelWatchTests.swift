#if os(Linux)
  import Fixtures
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The limits of a proxy's response to a tunnel")
  struct TunnelWatchTests {
    private let call = EngineCall(completion: { _ in }) { _ in }

    /// How many looks pass before the tunnel is given up.
    private func looks(_ watch: inout TunnelWatch, limit: Int, _ patience: CallPatience?) -> Int {
      for count in 0..<100_000 where watch.isToEnd(limit: limit, patience) { return count }
      return .max
    }

    @Test(
      "The head's limit of bytes, and 64 KiB at most, are read, and not one byte more",
      arguments: [(0, 0), (5, 5), (65_535, 65_535), (65_536, 65_536), (65_537, 65_536)])
    func bytes(limit: Int, taken: Int) {
      var watch = TunnelWatch()
      watch.begin()
      #expect(looks(&watch, limit: limit, nil) == taken)
      #expect(watch.fault?.kind == .connectFailed)
      #expect(watch.fault?.detail == "the proxy answered with more than \(taken) bytes")
      watch.fault?.expectTrueWord()
    }

    @Test("A watch ends nothing before it begins or after its end, and its end is reported once")
    func ends() {
      var watch = TunnelWatch()
      let before = (watch.isToEnd(limit: 0, nil), watch.end())
      #expect(before == (false, false))
      watch.begin()
      let after = (watch.end(), watch.end(), watch.isToEnd(limit: 0, nil))
      #expect(after == (true, false, false))
      #expect(watch.fault == nil)
    }

    @Test("The call's deadline is checked with each 256th byte")
    func patience() {
      var watch = TunnelWatch()
      watch.begin()
      let over = CallPatience(call: call, deadline: .now - .seconds(1))
      #expect(looks(&watch, limit: 1_000, over) == 255)
      #expect(watch.fault?.kind == .timedOut)
      #expect(watch.fault?.detail == "the proxy's response did not end")
      #expect(watch.fault?.mayHaveBeenProcessed == false)
      var other = TunnelWatch()
      other.begin()
      let patient = CallPatience(call: call, deadline: .now + .seconds(3_600))
      #expect(looks(&other, limit: 1_000, patient) == 1_000)
    }

    @Test(
      "A time becomes whole milliseconds, rounded up, from one to libcurl's maximum",
      arguments: [
        (.zero, 1), (.seconds(-5), 1), (.nanoseconds(1), 1), (.milliseconds(1), 1),
        (.nanoseconds(1_000_001), 2), (.milliseconds(2_500), 2_500),
        (.seconds(1_999_999), 1_999_999_000), (.seconds(2_000_000), 2_000_000_000),
        (.seconds(2_000_000) + .milliseconds(1), 2_000_000_000), (.milliseconds(500), 500),
        (.seconds(2_000_001), 2_000_000_000), (.seconds(Int64.max), 2_000_000_000),
      ] as [(Duration, Int)])
    func milliseconds(time: Duration, expected: Int) {
      #expect(CurlTransfer.milliseconds(time) == expected)
    }
  }
#endif
