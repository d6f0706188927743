import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@Suite("A stale response at once, or in place of a failure", .leakFree)
struct StaleCallTests {
  private let world = CacheWorld()
  private let revalidating: HTTPHeaders = [
    "Cache-Control": "max-age=60, stale-while-revalidate=30", "ETag": #""v1""#,
  ]

  @Test("RFC 5861 §3: the stale response comes at once, with one refresh in the background")
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

  @Test("No cancel ends the refresh")
  func cancels() {
    world.fetch(headers: revalidating, body: "one")
    world.wait(70)
    world.get().cancel()
    #expect(world.transport.cancelCount == 0)
    world.transport.answer(1, 304)
    #expect(world.get().values.first?.cacheStatus == .hit(ttl: 60))
  }

  @Test("A failed refresh leaves the stored response, and the next call begins another one")
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

  @Test("A response with only an ETag stands in if the server cannot be reached")
  func validatorOnly() {
    let world = CacheWorld(servesStaleWhenUnreachable: true)
    world.fetch(headers: ["ETag": #""v1""#], body: "one")
    world.wait(70)
    let refused = world.get()
    world.transport.fail(1, .connectionRefused)
    #expect(refused.values.map(\.text) == ["one"])
    #expect(
      refused.values.first?.cacheStatus
        == .forwarded(.stale, ttl: -70, detail: "stale: the server cannot be reached"))
    let failed = world.get()
    world.transport.answer(2, 500)
    #expect(failed.values.map(\.statusCode) == [500])
  }

  @Test("RFC 5861 §4: a stale response replaces an error, for the server's time")
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

  @Test("A failure other than an unavailable server is delivered")
  func otherFailures() {
    world.fetch(
      headers: ["Cache-Control": "max-age=60, stale-if-error=30", "ETag": #""v1""#])
    world.wait(70)
    let subscriber = world.get()
    world.transport.fail(1, .tlsFailed(.untrustedIssuer))
    #expect(subscriber.failure is RESTError)
  }

  @Test(
    "A stale response replaces the refusal of a rate limiter, under the rules for an absent server")
  func refusedByLimiter() {
    for serves in [false, true] {
      let world = CacheWorld(servesStaleWhenUnreachable: serves)
      world.fetch(headers: ["Cache-Control": "max-age=60", "ETag": #""v1""#], body: "one")
      world.wait(70)
      let limiter = RateLimiter(
        1, per: .seconds(60), maxWait: .seconds(1), scheduler: world.scheduler)
      let other = world.begin(world.api.get(endpoint: "b").rateLimited(by: limiter))
      world.transport.answer(1, 404)
      #expect(other.values.map(\.statusCode) == [404])
      let refused = world.begin(world.api.get(endpoint: "a").rateLimited(by: limiter))
      #expect(refused.values.map(\.text) == (serves ? ["one"] : []))
      #expect(
        refused.values.first?.cacheStatus
          == (serves
            ? .forwarded(.stale, ttl: -10, detail: "stale: the RateLimiter refused the request")
            : nil))
      #expect((refused.failure as? RESTError)?.kind == (serves ? nil : .rateLimit))
      #expect(world.transport.requests.count == 2)
    }
  }

  @Test("Without a directive, a stale response replaces an unreachable server only by option")
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

  @Test("A request may accept a stale response")
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

  @Test("cachedThenFresh delivers the stale value at once, and then the server's value")
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

  @Test("cachedThenFresh delivers one value if it is fresh, or if nothing is stored")
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

  @Test("cachedThenFresh reports the failure of the second value")
  func thenFailure() {
    world.fetch(headers: revalidating, body: "one")
    world.wait(70)
    let subscriber = both()
    for place in world.transport.open { world.transport.fail(place) }
    #expect(subscriber.values == ["one"])
    #expect(subscriber.failure is RESTError)
  }
}
