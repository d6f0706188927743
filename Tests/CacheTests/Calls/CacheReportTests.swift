import Fixtures
import Foundation
import RESTKit
import RESTKitReports
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("Cached responses in recordings and pictures", .leakFree)
struct CacheReportTests {
  private let server = HeldTransport()

  private func get(_ api: TestAPI) {
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    api.get(endpoint: "a").receive(subscriber: subscriber)
  }

  private func api(over transport: any Transport) -> TestAPI {
    CacheWorld.api(over: transport, cache: HTTPCache(date: { CacheWorld.start }))
  }

  private func har() -> HAR {
    let recorder = HARRecorder(ObservedTransport(server), date: { CacheWorld.start })
    let api = api(over: ObservedTransport(recorder))
    get(api)
    server.answer(0, headers: ["Cache-Control": "max-age=60"], body: "pets")
    get(api)
    return recorder.har
  }

  @Test("A HAR marks the entries from the cache")
  func recorded() throws {
    let har = har()
    #expect(har.entries.map(\.statusCode) == [200, 200])
    let text = String(decoding: har.data, as: UTF8.self)
    #expect(text.components(separatedBy: "_fromCache").count == 2)
  }

  @Test("A replay works with a cache and without one")
  func replayed() throws {
    let har = har()
    for cached in [true, false] {
      let replay = HARReplay(har)
      var api = api(over: replay)
      if !cached { api.cache = nil }
      get(api)
      get(api)
      try replay.verify()
    }
  }

  @Test("A picture shows a hit as a call of its own")
  func picture() {
    let observed = ObservedTransport(server, clock: TestScheduler())
    let logs = TestSubscriber<CallLog, Never>()
    observed.callLogs.receive(subscriber: logs)
    let api = api(over: observed)
    get(api)
    server.answer(0, headers: ["Cache-Control": "max-age=60"])
    get(api)
    logs.cancel()
    #expect("\(CallPicture(logs.values))".contains("GET /a, from the cache"))
  }
}
