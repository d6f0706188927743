import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@Suite("The log of a cache's decisions", .leakFree)
struct CacheLogTests {
  private let transport = HeldTransport()
  private let scheduler = TestScheduler()

  private func logs(_ calls: (TestAPI) -> Void) -> [[String]] {
    events(calls).map { log in
      log.map(\.description).filter { $0.hasPrefix("cache") || $0.hasPrefix("sent") }
    }
  }

  private func events(_ calls: (TestAPI) -> Void) -> [[CallEvent]] {
    let observed = ObservedTransport(transport, clock: scheduler)
    let cache = HTTPCache(date: { [scheduler] in
      CacheWorld.start + scheduler.now / .seconds(1)
    })
    let logs = TestSubscriber<CallLog, Never>()
    observed.callLogs.receive(subscriber: logs)
    calls(CacheWorld.api(over: observed, cache: cache))
    defer { logs.cancel() }
    return logs.values.map(\.events)
  }

  private func get(_ api: TestAPI, _ fields: [String: String] = [:]) {
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    api.get(endpoint: "a") { $0.adding(fields) }.receive(subscriber: subscriber)
  }

  @Test("The log of a change says how many targets it invalidated")
  func changes() {
    let logs = logs { api in
      for (place, headers) in [[:] as HTTPHeaders, ["Location": "/a/1"]].enumerated() {
        let change = TestSubscriber<RESTResponse, any Error>()
        api.post(endpoint: "a", body: nil).receive(subscriber: change)
        transport.answer(place, 201, headers: headers)
      }
    }
    #expect(
      logs == [
        ["sent, attempt 1", "cache: invalidated responses of its URL"],
        ["sent, attempt 1", "cache: invalidated responses of 2 URLs"],
      ])
  }

  @Test("The log names a miss, a hit, a validation, and a stale hit with its refresh")
  func words() {
    let fields: HTTPHeaders = [
      "Cache-Control": "max-age=60, stale-while-revalidate=30", "ETag": #""v1""#,
    ]
    let logs = logs { api in
      get(api)
      transport.answer(0, headers: fields)
      get(api)
      scheduler.advance(by: .seconds(100))
      get(api)
      transport.answer(1, 304)
      scheduler.advance(by: .seconds(61))
      get(api)
      transport.answer(2, 304)
    }
    #expect(
      logs == [
        ["cache: miss: nothing stored", "sent, attempt 1", "cache: stored"],
        ["cache: hit"],
        ["cache: validation: the stored response is stale", "sent, attempt 1", "cache: validated"],
        ["cache: stale hit: stale-while-revalidate"],
        ["sent, attempt 1", "cache: validated"],
      ])
  }

  @Test("Only a hit answers the call, and no entry about storing or validating does")
  func answersCall() {
    let events = events { api in
      get(api)
      transport.answer(0, headers: ["Cache-Control": "max-age=60", "ETag": #""v1""#])
      get(api)
      scheduler.advance(by: .seconds(100))
      get(api)
      transport.answer(1, 304)
    }
    let answers = events.map { log in
      log.compactMap { event -> Bool? in
        guard case .cache(_, let answersCall) = event.kind else { return nil }
        return answersCall
      }
    }
    #expect(answers == [[false, false], [true], [false, false]])
  }

  @Test("All requests of a background refresh are in its own log, even a repeated one")
  func refresh() {
    let fields: HTTPHeaders = [
      "Cache-Control": "max-age=60, stale-while-revalidate=30", "ETag": #""v1""#,
    ]
    let logs = logs { api in
      get(api)
      transport.answer(0, headers: fields)
      scheduler.advance(by: .seconds(70))
      get(api)
      transport.answer(1, 304, headers: ["ETag": #""other""#])
      transport.answer(2, headers: fields)
    }
    #expect(logs.count == 3)
    #expect(logs.dropFirst().first == ["cache: stale hit: stale-while-revalidate"])
    #expect(logs.last?.count { $0.hasPrefix("sent") } == 2)
    #expect(logs.last?.last == "cache: stored")
  }

  @Test("A response that another call stored in the meantime is logged as a hit")
  func secondLook() {
    let isArmed = Lock(false)
    let cache = HTTPCache(date: { [transport] in
      let comesNow = isArmed.withLock { isArmed in
        defer { isArmed = false }
        return isArmed
      }
      if comesNow { transport.answer(0, headers: ["Cache-Control": "max-age=60"]) }
      return CacheWorld.start
    })
    let observed = ObservedTransport(transport, clock: scheduler)
    let logs = TestSubscriber<CallLog, Never>()
    observed.callLogs.receive(subscriber: logs)
    let api = CacheWorld.api(over: observed, cache: cache, coalescer: RequestCoalescer())
    get(api)
    isArmed.withLock { $0 = true }
    get(api)
    logs.cancel()
    #expect(transport.requests.count == 1)
    #expect(
      logs.values.last?.events.map(\.description).filter { $0.hasPrefix("cache") }
        == ["cache: miss: nothing stored", "cache: hit"])
  }

  @Test("The log says why a response is not stored")
  func refusals() {
    let logs = logs { api in
      get(api)
      transport.answer(0, headers: ["Cache-Control": "max-age=60", "Vary": "*"])
      get(api, ["Cache-Control": "no-store"])
      transport.answer(1, headers: ["Cache-Control": "max-age=60"])
    }
    #expect(
      logs == [
        ["cache: miss: nothing stored", "sent, attempt 1", "cache: not stored: Vary: *"],
        [
          "cache: bypass: no-store in the request", "sent, attempt 1",
          "cache: not stored: no-store in the request",
        ],
      ])
  }
}
