import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Calls that share an exchange with a cache have their own terms", .leakFree)
struct CacheRefreshTests {
  private let world = CacheWorld(coalescer: RequestCoalescer())
  private let fields: HTTPHeaders = [
    "Cache-Control": "max-age=60, stale-while-revalidate=30, stale-if-error=600",
    "ETag": #""v1""#,
  ]

  private func get(_ use: CacheUse) -> TestSubscriber<String, any Error> {
    world.begin(world.api.get(endpoint: "a").map(\.text).cached(in: world.cache, use: use))
  }

  @Test("A background refresh continues if the call that began it is cancelled")
  func heldRefresh() {
    world.fetch(headers: fields, body: "one")
    world.wait(70)
    let asked = get(.revalidated)
    #expect(world.get().values.map(\.text) == ["one"])
    asked.cancel()
    #expect(world.transport.cancelCount == 0)
    world.transport.answer(1, headers: fields, body: "two")
    #expect(world.get().values.map(\.text) == ["two"])
    #expect(world.transport.requests.count == 2)
  }

  @Test("cachedThenFresh gets the server's error as the second value, even with stale-if-error")
  func bothAfterError() {
    world.fetch(headers: fields, body: "one")
    world.wait(70)
    let subscriber = get(.cachedThenFresh)
    world.transport.answer(1, 503, body: "down")
    #expect(subscriber.values == ["one", "down"])
    #expect(subscriber.isFinished)
    #expect(world.transport.requests.count == 2)
  }

  @Test("cachedThenFresh gets the failure of an unreachable server, even with a usable stale value")
  func bothAfterFailure() {
    world.fetch(headers: fields, body: "one")
    world.wait(70)
    let subscriber = get(.cachedThenFresh)
    world.transport.fail(1, .connectionRefused)
    #expect(subscriber.values == ["one"])
    #expect(subscriber.failure is RESTError)
  }

  @Test("Of callers that share an error, each request decides about the stale response")
  func sharedError() {
    let fields: HTTPHeaders = ["Cache-Control": "max-age=60, stale-if-error=600", "ETag": "\"1\""]
    world.fetch(headers: fields, body: "one")
    world.wait(70)
    let first = world.get()
    let second = world.get()
    let strict = get(.revalidated)
    #expect(world.transport.requests.count == 2)
    world.transport.answer(1, 503, body: "down")
    #expect(strict.values == ["down"])
    #expect(first.values.map(\.text) == ["one"])
    #expect(second.values.map(\.text) == ["one"])
    let detail = "stale: the server answered 503"
    #expect(
      [first, second].map { $0.values.first?.cacheStatus } == [
        .forwarded(.stale, status: 503, ttl: -10, detail: detail),
        .forwarded(.stale, status: 503, isCollapsed: true, ttl: -10, detail: detail),
      ])
  }

  @Test("cachedThenFresh with only-if-cached gets only the stale value")
  func bothOnlyIfCached() {
    world.fetch(headers: ["Cache-Control": "max-age=60"], body: "one")
    world.wait(70)
    let subscriber = world.begin(
      world.api.get(endpoint: "a") { $0.adding(["Cache-Control": "only-if-cached, max-stale"]) }
        .map(\.text).cached(in: world.cache, use: .cachedThenFresh))
    #expect(subscriber.values == ["one"])
    #expect(subscriber.isFinished)
    #expect(world.transport.requests.count == 1)
  }

  @Test(
    "A change by a call with a cache ends the shared exchanges of calls without one",
    arguments: [false, true])
  func otherSharing(isUpload: Bool) {
    let coalescer = RequestCoalescer()
    let world = CacheWorld(coalescer: coalescer)
    let plain = CacheWorld.api(over: world.transport, coalescer: coalescer)
    world.begin(plain.get(endpoint: "a"))
    if isUpload {
      world.begin(world.api.upload(.put, endpoint: "a", body: .data(Data("x".utf8))))
    } else {
      world.begin(world.api.put(endpoint: "a", body: nil))
    }
    world.transport.answer(1, 204)
    world.begin(plain.get(endpoint: "a"))
    #expect(world.transport.requests.count == 3)
    world.transport.answerAll()
  }

  @Test("A GET with a streamed body is neither stored nor answered from the cache")
  func streamedBody() {
    world.fetch(headers: ["Cache-Control": "max-age=60"], body: "one")
    let search = world.api.get(endpoint: "a") { request in
      var request = request
      request.httpBodyStream = InputStream(data: Data("query".utf8))
      return request
    }
    let found = world.begin(search)
    #expect(found.values.isEmpty)
    world.transport.answer(1, headers: ["Cache-Control": "max-age=60"], body: "two")
    #expect(world.get().values.map(\.text) == ["one"])
  }
}
