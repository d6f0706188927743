import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@testable import RESTKitTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The times of scripts in memory")
struct StubMemoryTests {
  @Test("A delay is the scheduler's, and only what never comes is that of silence")
  func clocks() throws {
    let request = URLRequest(url: try #require(URL(string: base + "/a")))
    for isSilent in [false, true] {
      let script = StubAPIResponse(
        request: StubRequest(), pieces: ["a"], end: isSilent ? .silence : .complete,
        delay: isSilent ? .zero : .seconds(5)
      ).always()
      let (delays, silence) = (TestScheduler(), TestScheduler())
      let stubs = StubTransport(
        log: StubLog([script], location: StubLocation()),
        world: StubMemory(scheduler: delays, silence: silence))
      let whole = stubs.response(for: request).testSubscriber()
      let pieces = stubs.events(for: request, body: nil).testSubscriber()
      let clock = isSilent ? silence : delays
      #expect([delays, silence].map(\.pendingCount) == (isSilent ? [0, 2] : [2, 0]))
      clock.advance(by: isSilent ? .seconds(60) : .seconds(5))
      #expect(whole.completions.count == 1 && pieces.completions.count == 1)
      #expect(whole.isFinished != isSilent)
      try stubs.verify()
    }
  }
}
