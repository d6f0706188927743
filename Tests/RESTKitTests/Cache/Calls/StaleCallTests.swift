import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@Suite("What is stale may be given at once, or in the place of a failure", .leakFree)
struct StaleCallTests {
  private let world = CacheWorld()
  private let revalidating: HTTPHeaders = [
    "Cache-Control": "max-age=60, stale-while-revalidate=30", "ETag": #""v1""#,
  ]

  @Test("RFC 5861 §3: the stale answer comes at once, and one refresh runs behind it")
  func whileRevalidate() throws {
    world.fetch(headers: revalidating, body: "one")
    world.wait(70)
    let hits = (1...3).map { _ in world.get() }
    #expect(hits.allSatisfy { $0.isFinished && $0.values.map(\.text) == ["one"] })
    #expect(
      hits.first?.values.first?.cacheStatus
        == .hit(ttl: -10, detail: "stale hit: stale-while-revalidate"))
    #expect(world.sent("If-None-Match") == [nil, #""v1""#])
    world.transport.answer(1, headers: revalidating, body: "two")
    #expect(world.get().values.map(\.text) == ["two"])
    #expect(world.transport.requests.count == 2)
  }

  @Test("Nobody's cancel ends the refresh")
  func cancels() {
    world.fetch(headers: revalidating, body: "one")
    world.wait(70)
    world.get().cancel()
    #expect(world.transport.cancelCount == 0)
    world.transport.answer(1, 304)
    #expect(world.get().values.first?.cacheStatus == .hit(ttl: 60))
  }

  @Test("A refresh that fails leaves what was kept, and the next call begins another")
  func failedRefresh() {
    world.fetch(headers: revalidating, body: "one")
    world.wait(70)
    world.get()
    world.transport.fail(1)
    #expect(world.get().values.map(\.text) == ["one"])
    #expect(world.transport.requests.count == 3)
    world.transport.answer(2, 503)
    world.wait(21)
    #expect(world.get().values.isEmpty)
  }

  @Test("RFC 5861 §4: a stale answer stands in for an error, as long as the server said")
  func ifError() throws {
    world.fetch(
      headers: ["Cache-Control": "max-age=60, stale-if-error=30", "ETag": #""v1""#], body: "one")
    world.wait(70)
    let refused = world.get()
    world.transport.answer(1, 503, body: "down")
    #expect(refused.values.map(\.statusCode) == [200])
    #expect(refused.values.map(\.text) == ["one"])
    #expect(
      refused.values.first?.cacheStatus
        == .forwarded(.stale, status: 503, ttl: -10, detail: "stale: the server answered 503"))
    let lost = world.get()
    world.transport.fail(2, .connectionRefused)
    #expect(lost.values.map(\.text) == ["one"])
    #expect(
      lost.values.first?.cacheStatus
        == .forwarded(.stale, ttl: -10, detail: "stale: the server cannot be reached"))
    world.wait(21)
    let late = world.get()
    world.transport.answer(3, 503, body: "down")
    #expect(late.values.map(\.statusCode) == [503])
  }

  @Test("A failure that says nothing of the server's absence is told")
  func otherFailures() {
    world.fetch(
      headers: ["Cache-Control": "max-age=60, stale-if-error=30", "ETag": #""v1""#])
    world.wait(70)
    let subscriber = world.get()
    world.transport.fail(1, .tlsFailed(.untrustedIssuer))
    #expect(subscriber.failure is RESTError)
  }

  @Test("Without leave, a stale answer stands in for a server that is gone only where asked for")
  func unreachable() {
    for serves in [false, true] {
      let world = CacheWorld(servesStaleWhenUnreachable: serves)
      world.fetch(headers: ["Cache-Control": "max-age=60", "ETag": #""v1""#], body: "one")
      world.wait(70)
      let subscriber = world.get()
      world.transport.fail(1, .connectionRefused)
      #expect(subscriber.values.map(\.text) == (serves ? ["one"] : []))
      #expect((subscriber.failure == nil) == serves)
    }
  }

  @Test("A request may take what is stale")
  func maxStale() {
    world.fetch(headers: ["Cache-Control": "max-age=60"])
    world.wait(70)
    #expect(world.get("a", ["Cache-Control": "max-stale=10"]).isFinished)
    #expect(world.transport.requests.count == 1)
    world.wait(1)
    #expect(!world.get("a", ["Cache-Control": "max-stale=10"]).isFinished)
  }

  // MARK: Cached, then fresh

  private func both() -> TestSubscriber<String, any Error> {
    world.begin(
      world.api.get(endpoint: "a").map(\.text).cached(in: world.cache, use: .cachedThenFresh))
  }

  @Test("Who wants both gets the stale value at once, and then what the server says")
  func thenFresh() {
    world.fetch(headers: revalidating, body: "one")
    world.wait(70)
    let subscriber = both()
    #expect(subscriber.values == ["one"])
    #expect(!subscriber.isFinished)
    #expect(world.transport.requests.count == 2)
    world.transport.answer(1, headers: revalidating, body: "two")
    #expect(subscriber.values == ["one", "two"])
    #expect(subscriber.isFinished)
  }

  @Test("Who wants both gets one value where that is fresh, or nothing is kept")
  func thenFreshOnce() {
    let first = both()
    world.transport.answer(0, headers: revalidating, body: "one")
    #expect(first.values == ["one"])
    #expect(first.isFinished)
    let second = both()
    #expect(second.values == ["one"])
    #expect(second.isFinished)
    #expect(world.transport.requests.count == 1)
  }

  @Test("Who wants both is told that the second did not come")
  func thenFailure() {
    world.fetch(headers: revalidating, body: "one")
    world.wait(70)
    let subscriber = both()
    for place in world.transport.open { world.transport.fail(place) }
    #expect(subscriber.values == ["one"])
    #expect(subscriber.failure is RESTError)
  }
}
