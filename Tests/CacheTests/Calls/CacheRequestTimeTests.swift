import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("The time at which a stored response was requested")
struct CacheRequestTimeTests {
  @Test(
    "§4.2.3: metrics that claim more than the time since the request name no later moment",
    arguments: [
      (claimed: 5, expected: 5.0), (claimed: 10, expected: 10), (claimed: 30, expected: 10),
    ])
  func longMetrics(claimed: Int, expected: Double) throws {
    let store = MemoryCacheStore(maxBytes: 1 << 20)
    let scheduler = TestScheduler()
    let begin = WallClock.start
    let cache = HTTPCache(store: store, date: { begin + scheduler.now / .seconds(1) })
    let transport = HeldTransport()
    TestAPI(baseURL: TestAPI.origin, transport: transport, cache: cache).get(endpoint: "a")
      .receive(subscriber: TestSubscriber<RESTResponse, any Error>())
    scheduler.advance(by: .seconds(10))
    transport.answer(
      0, headers: ["Cache-Control": "max-age=60"],
      metrics: ExchangeMetrics(queued: .seconds(claimed)))
    // By it, writers of a folder compare the response with removals in other processes.
    let key = CacheKey(
      url: TestAPI.origin + "/a", partition: RequestIdentity(over: transport.identity))
    #expect(store.responses(for: key).map(\.requestTime) == [begin + expected])
  }
}
