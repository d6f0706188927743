import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@Suite("One validation for all callers of an expired response", .leakFree)
struct StampedeTests {
  private let world = CacheWorld(coalescer: RequestCoalescer())
  private let fields: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": #""v1""#]

  @Test("A thousand callers of a stale response share one validation")
  func expiry() {
    world.fetch(headers: fields, body: "one")
    world.wait(61)
    let callers = (1...1_000).map { _ in world.get() }
    #expect(world.sent("If-None-Match") == [nil, #""v1""#])
    world.transport.answer(1, 304)
    #expect(callers.allSatisfy { $0.isFinished && $0.values.map(\.text) == ["one"] })
    #expect(
      callers.map { $0.values.first?.cacheStatus }.prefix(2) == [
        .forwarded(.stale, status: 304, isStored: true, ttl: 60),
        .forwarded(.stale, status: 304, isStored: true, isCollapsed: true, ttl: 60),
      ])
  }

  @Test("A caller after the response finds it stored")
  func afterwards() {
    let first = world.get()
    world.transport.answer(0, headers: fields, body: "one")
    #expect(first.values.map(\.text) == ["one"])
    #expect(world.get().values.first?.cacheStatus == .hit(ttl: 60))
  }

  @Test("A caller that may use the stale response does not wait")
  func stale() {
    let fields: HTTPHeaders = ["Cache-Control": "max-age=60, stale-while-revalidate=60"]
    world.fetch(headers: fields, body: "one")
    world.wait(61)
    let callers = (1...100).map { _ in world.get() }
    #expect(callers.allSatisfy { $0.isFinished })
    #expect(world.transport.requests.count == 2)
    world.transport.answerAll()
  }

  @Test("A response that is not stored, and that nothing keeps from others, is shared once")
  func unstorable() {
    let callers = (1...3).map { _ in world.get() }
    world.transport.answer(0, headers: [:])
    #expect(callers.allSatisfy { $0.isFinished })
    #expect(world.transport.requests.count == 1)
    #expect(!world.get().isFinished)
  }

  @Test(
    "Behind one stale response there is one refresh, even if each request has a field of its own")
  func uniqueFields() {
    let fields: HTTPHeaders = ["Cache-Control": "max-age=60, stale-while-revalidate=60"]
    world.fetch(headers: fields, body: "one")
    world.wait(61)
    let callers = (1...200).map { world.get("a", ["X-Request-ID": "\($0)"]) }
    #expect(callers.allSatisfy { $0.values.map(\.text) == ["one"] })
    #expect(world.transport.requests.count == 2)
    world.transport.answer(1, 503)
    world.get("a", ["X-Request-ID": "201"])
    #expect(world.transport.requests.count == 3)
    world.transport.answer(2, headers: fields, body: "two")
    #expect(world.get().values.map(\.text) == ["two"])
  }

  @Test("After everything is removed, a refresh that still runs holds up no other one")
  func removed() {
    let fields: HTTPHeaders = ["Cache-Control": "max-age=60, stale-while-revalidate=60"]
    for place in [0, 2] {
      world.fetch(headers: fields)
      world.wait(61)
      world.get()
      #expect(world.transport.requests.count == place + 2)
      world.cache.removeAll()
    }
    world.transport.answerAll()
  }

  @Test("A caller after a change joins no exchange from before it")
  func change() {
    let early = world.get()
    world.begin(world.api.put(endpoint: "a", body: nil))
    world.transport.answer(1, 204)
    let late = world.get()
    #expect(world.transport.requests.count == 3)
    world.transport.answer(2, headers: fields, body: "new")
    world.transport.answer(0, headers: fields, body: "old")
    #expect(early.values.map(\.text) == ["old"])
    #expect(late.values.map(\.text) == ["new"])
    #expect(world.get().values.map(\.text) == ["new"])
  }

  @Test("A pipeline without a cache does not share with one that has a cache")
  func apart() {
    let coalescer = RequestCoalescer()
    let plain = CacheWorld.api(over: world.transport, coalescer: coalescer)
    world.begin(plain.get(endpoint: "a"))
    world.begin(plain.get(endpoint: "a").cached(in: world.cache))
    #expect(world.transport.requests.count == 2)
  }
}
