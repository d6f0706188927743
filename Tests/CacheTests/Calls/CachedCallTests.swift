import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Calls of an API with a cache", .leakFree)
struct CachedCallTests {
  private let world = CacheWorld()

  @Test("A fresh response is reused, with its age, and nothing is sent")
  func hit() throws {
    let first = try #require(world.fetch(headers: ["Cache-Control": "max-age=60"], body: "pets"))
    #expect(first.cacheStatus == .forwarded(.uriMiss, isStored: true, ttl: 60))
    world.wait(10)
    let second = world.get()
    let response = try #require(second.values.first)
    #expect(second.isFinished)
    #expect(response.text == "pets")
    #expect(response.headers["Age"] == "10")
    #expect(response.cacheStatus == .hit(ttl: 50))
    #expect(response.metrics == nil)
    #expect(world.transport.requests.count == 1)
  }

  @Test("An API without a cache stores nothing")
  func noCache() {
    let api = CacheWorld.api(over: world.transport)
    for place in 0..<2 {
      let subscriber = world.begin(api.get(endpoint: "a"))
      world.transport.answer(place, headers: ["Cache-Control": "max-age=60"])
      #expect(subscriber.values.first?.cacheStatus == nil)
    }
    #expect(world.transport.requests.count == 2)
  }

  @Test("A pipeline may use a cache without its API's, or another one than its API's")
  func pipeline() {
    let plain = CacheWorld.api(over: world.transport)
    let other = HTTPCache(date: { CacheWorld.start })
    world.begin(plain.get(endpoint: "a").cached(in: other))
    world.transport.answer(0, headers: ["Cache-Control": "max-age=60"])
    #expect(world.begin(plain.get(endpoint: "a").cached(in: other)).isFinished)
    #expect(world.begin(world.api.get(endpoint: "a").cached(in: other)).isFinished)
    #expect(!world.get().isFinished)
    #expect(world.transport.requests.count == 2)
  }

  @Test("Two APIs may share a cache")
  func shared() {
    world.fetch(headers: ["Cache-Control": "max-age=60"])
    let other = CacheWorld.api(over: world.transport, cache: world.cache)
    #expect(world.begin(other.get(endpoint: "a")).isFinished)
  }

  @Test("A stale response is validated, and a 304 delivers the stored response, fresh again")
  func validation() throws {
    world.fetch(
      headers: [
        "Cache-Control": "max-age=60", "ETag": #""v1""#,
        "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
      ], body: "pets")
    world.wait(61)
    let second = world.get()
    #expect(world.sent("If-None-Match") == [nil, #""v1""#])
    #expect(world.sent("If-Modified-Since") == [nil, "Sun, 06 Nov 1994 08:49:37 GMT"])
    world.transport.answer(1, 304, headers: ["Cache-Control": "max-age=120", "X-New": "1"])
    let response = try #require(second.values.first)
    #expect(response.statusCode == 200)
    #expect(response.text == "pets")
    #expect(response.headers["X-New"] == "1")
    #expect(response.cacheStatus == .forwarded(.stale, status: 304, isStored: true, ttl: 120))
    world.wait(119)
    #expect(world.get().values.first?.cacheStatus == .hit(ttl: 1))
    #expect(world.transport.requests.count == 2)
  }

  @Test("A 304 for another response repeats the request without conditions")
  func unmatched() {
    world.fetch(headers: ["Cache-Control": "max-age=60", "ETag": #""v1""#], body: "old")
    world.wait(61)
    let second = world.get()
    world.transport.answer(1, 304, headers: ["ETag": #""v9""#])
    #expect(world.sent("If-None-Match") == [nil, #""v1""#, nil])
    world.transport.answer(2, headers: ["Cache-Control": "max-age=60"], body: "new")
    #expect(second.values.map(\.text) == ["new"])
    #expect(world.get().values.map(\.text) == ["new"])
  }

  @Test("A new response replaces the stored one, and one that is not stored removes it")
  func replaced() {
    world.fetch(headers: ["Cache-Control": "max-age=60", "ETag": #""v1""#], body: "one")
    world.wait(61)
    world.fetch(headers: ["Cache-Control": "max-age=60", "ETag": #""v2""#], body: "two")
    #expect(world.get().values.map(\.text) == ["two"])
    world.wait(61)
    world.fetch(headers: ["Cache-Control": "no-store"], body: "three")
    world.fetch(headers: [:])
    #expect(world.sent("If-None-Match") == [nil, #""v1""#, #""v2""#, nil])
  }

  @Test("only-if-cached sends nothing, and delivers the stored response or a 504")
  func onlyIfCached() throws {
    let fields = ["Cache-Control": "only-if-cached"]
    let missing = try #require(world.get("a", fields).values.first)
    #expect(missing.statusCode == 504)
    #expect(missing.cacheStatus == .unsatisfied)
    #expect(world.transport.requests.isEmpty)
    world.fetch(headers: ["Cache-Control": "max-age=60"])
    #expect(world.get("a", fields).values.first?.statusCode == 200)
  }

  @Test("A stored GET answers a HEAD, and a HEAD freshens or invalidates it")
  func head() throws {
    world.fetch(headers: ["Cache-Control": "max-age=60", "ETag": #""v1""#], body: "pets")
    let head = try #require(world.begin(world.api.head(endpoint: "a")).values.first)
    #expect(head.statusCode == 200 && head.data.isEmpty && head.headers["ETag"] == #""v1""#)
    world.wait(61)
    let asked = world.begin(world.api.head(endpoint: "a"))
    world.transport.answer(
      1, headers: ["Cache-Control": "max-age=60", "ETag": #""v1""#], body: "")
    #expect(asked.values.first?.data.isEmpty == true)
    #expect(world.get().values.map(\.text) == ["pets"])
    world.wait(61)
    world.begin(world.api.head(endpoint: "a"))
    world.transport.answer(2, headers: ["Cache-Control": "max-age=60", "ETag": #""v2""#], body: "")
    #expect(world.get().values.isEmpty)
  }

  @Test("A range is taken from a stored whole, and a received part is not stored")
  func ranges() throws {
    let part = ["Range": "bytes=1-2"]
    world.fetch(
      "a", part, status: 206,
      headers: ["Cache-Control": "max-age=60", "Content-Range": "bytes 1-2/4"], body: "et")
    #expect(world.get().values.isEmpty)
    world.transport.answer(1, headers: ["Cache-Control": "max-age=60"], body: "pets")
    let response = try #require(world.get("a", part).values.first)
    #expect(response.statusCode == 206)
    #expect(response.text == "et")
    #expect(response.headers["Content-Range"] == "bytes 1-2/4")
  }

  @Test("Each redirect is stored separately")
  func redirects() {
    world.fetch(
      "old", status: 301, headers: ["Location": "/new", "Cache-Control": "max-age=60"])
    world.transport.answer(1, headers: ["Cache-Control": "max-age=5"], body: "pets")
    #expect(world.get("old").values.map(\.text) == ["pets"])
    #expect(world.transport.paths == ["/old", "/new"])
    world.wait(6)
    world.get("old")
    #expect(world.transport.paths == ["/old", "/new", "/new"])
  }

  @Test("A caller's own condition is compared with the stored response")
  func ownCondition() {
    world.fetch(headers: ["Cache-Control": "max-age=60", "ETag": #""v1""#], body: "pets")
    let asked = world.get("a", ["If-None-Match": #""v1""#])
    #expect(asked.values.first?.statusCode == 304)
    #expect(asked.values.first?.headers["ETag"] == #""v1""#)
    world.wait(61)
    let passed = world.get("a", ["If-None-Match": #""v1""#])
    world.transport.answer(1, 304, headers: ["ETag": #""v1""#, "Cache-Control": "max-age=60"])
    #expect(passed.values.first?.statusCode == 304)
    #expect(world.get().values.map(\.text) == ["pets"])
    #expect(world.transport.requests.count == 2)
  }

  @Test("A GET with a body is neither stored nor answered from the cache")
  func bodies() {
    world.fetch(headers: ["Cache-Control": "max-age=60"])
    let search = world.api.get(endpoint: "a") { request in
      var request = request
      request.httpBody = Data("query".utf8)
      return request
    }
    world.begin(search)
    world.transport.answer(1, headers: ["Cache-Control": "max-age=60"])
    world.begin(search)
    #expect(world.transport.requests.count == 3)
  }

  @Test("A response in pieces is neither stored nor answered from the cache")
  func pieces() {
    world.fetch(headers: ["Cache-Control": "max-age=60"])
    world.begin(world.api.events(.get, endpoint: "a"))
    #expect(world.transport.requests.count == 2)
    world.transport.answer(1, headers: ["Cache-Control": "max-age=600"], body: "in pieces")
    world.wait(61)
    #expect(world.get().values.isEmpty)
  }

  @Test("§4.2.3: a wait for a connection is no age; the server's and the network's time is")
  func waitForConnection() {
    for (wait, served, isHit) in [(60, 1, true), (0, 60, false), (20, 40, false)] {
      let path = "\(wait)"
      let place = world.transport.requests.count
      world.get(path)
      world.wait(wait + served)
      let connecting = Duration.seconds(wait) / 4
      world.transport.answer(
        place, headers: ["Cache-Control": "max-age=30", "Date": "-"],
        metrics: ExchangeMetrics(
          queued: connecting, nameLookup: connecting, connect: connecting,
          secureConnect: connecting, waiting: .seconds(served), total: .seconds(wait + served)))
      #expect(!world.get(path).values.isEmpty == isHit, "\(wait) and \(served)")
    }
  }

  @Test("§4.2.3: metrics that claim more than the time since the request do not make it younger")
  func longMetrics() {
    world.get("a")
    world.wait(10)
    world.transport.answer(
      0, headers: ["Cache-Control": "max-age=30"], metrics: ExchangeMetrics(queued: .seconds(999)))
    #expect(world.get("a").values.first?.headers["Age"] == "0")
    world.wait(31)
    #expect(world.get("a").values.isEmpty)
  }

  @Test("removeAll removes everything, and running requests are not stored")
  func removeAll() {
    world.fetch(headers: ["Cache-Control": "max-age=60"])
    world.get("b")
    world.cache.removeAll()
    world.transport.answer(1, headers: ["Cache-Control": "max-age=60"])
    #expect(world.get("a").values.isEmpty)
    #expect(world.get("b").values.isEmpty)
  }

  @Test("A response over the cache's limits is delivered, and not stored")
  func limits() throws {
    let world = CacheWorld(maxBytes: 8_192)
    let response = try #require(
      world.fetch(
        headers: ["Cache-Control": "max-age=60"], body: String(repeating: "x", count: 1_024)))
    #expect(response.data.count == 1_024)
    #expect(
      response.cacheStatus
        == .forwarded(.uriMiss, detail: "not stored: larger than 1024 bytes"))
    #expect(world.get().values.isEmpty)
  }
}
