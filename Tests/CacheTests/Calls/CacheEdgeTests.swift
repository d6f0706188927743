import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Edge cases of a cache in a pipeline", .leakFree)
struct CacheEdgeTests {
  private let world = CacheWorld()
  private let revalidating: HTTPHeaders = [
    "Cache-Control": "max-age=60, stale-while-revalidate=30", "ETag": #""v1""#,
  ]

  private func both(
    demand: Subscribers.Demand = .unlimited
  ) -> TestSubscriber<String, any Error> {
    let subscriber = TestSubscriber<String, any Error>(demand: demand)
    world.api.get(endpoint: "a").map(\.text).cached(in: world.cache, use: .cachedThenFresh)
      .receive(subscriber: subscriber)
    return subscriber
  }

  @Test("Twenty thousand successive hits need no stack")
  func manyHits() {
    world.fetch(headers: ["Cache-Control": "max-age=60"], body: "one")
    let api = world.api
    let hits = world.begin(
      (0..<20_000).publisher.setFailureType(to: (any Error).self)
        .flatMap(maxPublishers: .max(1)) { _ in api.get(endpoint: "a") }
        .map { _ in 1 }.reduce(0, +))
    #expect(hits.values == [20_000])
    #expect(world.transport.requests.count == 1)
  }

  @Test("The second of two values waits for its own demand")
  func demand() {
    world.fetch(headers: revalidating, body: "one")
    world.wait(70)
    let subscriber = both(demand: .none)
    #expect(subscriber.values.isEmpty)
    subscriber.request(.max(1))
    #expect(subscriber.values == ["one"])
    for place in world.transport.open {
      world.transport.answer(place, headers: revalidating, body: "two")
    }
    #expect(subscriber.values == ["one"])
    #expect(!subscriber.isFinished)
    subscriber.request(.max(1))
    #expect(subscriber.values == ["one", "two"])
    #expect(subscriber.isFinished)
    #expect(world.transport.requests.count == 2)
  }

  @Test("A cancel between the two values does not end the refresh")
  func cancelBetween() {
    world.fetch(headers: revalidating, body: "one")
    world.wait(70)
    let subscriber = both()
    subscriber.cancel()
    #expect(world.transport.cancelCount == 0)
    world.transport.answer(1, headers: revalidating, body: "two")
    #expect(subscriber.values == ["one"])
    #expect(world.get().values.map(\.text) == ["two"])
  }

  @Test("Of two caches in a pipeline the one nearest to the verb counts")
  func twice() {
    world.fetch(headers: revalidating, body: "one")
    world.wait(70)
    let subscriber = world.begin(
      world.api.get(endpoint: "a").map(\.text).cached(in: world.cache)
        .cached(in: world.cache, use: .cachedThenFresh))
    #expect(subscriber.values == ["one"])
    #expect(subscriber.isFinished)
    world.transport.answerAll()
  }

  @Test("A stored body whose release calls the cache is released outside the lock")
  func release() {
    let counter = Counter()
    func keep(_ path: String, _ world: CacheWorld) {
      let bytes = UnsafeMutableRawPointer.allocate(byteCount: 4_000, alignment: 1)
      bytes.initializeMemory(as: UInt8.self, repeating: 0, count: 4_000)
      let cache = world.cache
      let data = Data(
        bytesNoCopy: bytes, count: 4_000,
        deallocator: .custom { bytes, _ in
          bytes.deallocate()
          cache.removeAll()
          counter.add()
        })
      let transport = BodyTransport(data)
      let api = CacheWorld.api(over: transport, cache: cache)
      world.begin(api.get(endpoint: path))
    }
    let world = CacheWorld(maxBytes: 40_000)
    for number in 0..<20 { keep("\(number)", world) }
    keep("a", world)
    world.cache.removeAll()
    #expect(counter.value == 21)
  }

  private final class BodyTransport: Transport {
    private let data: Lock<Data?>

    init(_ data: Data) { self.data = Lock(data) }

    func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
      let url = request.url ?? URL(filePath: "/")
      let head = ResponseHead(
        url: url, statusCode: 200, headers: ["Cache-Control": "max-age=60"])
      let body = data.withLock { $0.take() } ?? Data()
      return Just(RESTResponse(head: head, data: body, request: RequestSummary(request)))
        .setFailureType(to: (any Error).self).eraseToAnyPublisher()
    }
  }

  @Test("A redirect to another origin is stored separately from direct requests to it")
  func otherOrigin() throws {
    let session = TokenSession(
      grant: ClosureGrant { _ in Fail<TokenResponse, any Error>(error: CancellationError()) })
    try session.signIn(Credential(accessToken: "ada"))
    let api = CacheWorld.api(over: world.transport, session: session, cache: world.cache)
    let other = "https://files.example.com/1"
    let mine = world.begin(api.get(endpoint: "a"))
    world.transport.answer(
      0, 302, headers: ["Location": other, "Cache-Control": "max-age=60"])
    #expect(world.sent("Authorization") == ["Bearer ada", nil])
    world.transport.answer(1, headers: ["Cache-Control": "max-age=60"], body: "Ada's")
    #expect(mine.values.map(\.text) == ["Ada's"])
    #expect(world.begin(api.get(endpoint: "a")).values.map(\.text) == ["Ada's"])
    #expect(world.transport.requests.count == 2)
    let anybody = world.begin(
      api.get(endpoint: "a", authorization: .none) { request in
        var request = request
        request.url = URL(string: other)
        return request
      })
    #expect(anybody.values.isEmpty)
    world.transport.answer(2)
  }

  @Test("A background refresh whose token is refused renews it, as any call does")
  func refusedRefresh() throws {
    let session = TokenSession(
      grant: ClosureGrant { _ in
        Just(TokenResponse(accessToken: "new")).setFailureType(to: (any Error).self)
      })
    try session.signIn(Credential(accessToken: "old", refreshToken: "r"))
    let api = CacheWorld.api(over: world.transport, session: session, cache: world.cache)
    world.begin(api.get(endpoint: "a"))
    world.transport.answer(0, headers: revalidating, body: "one")
    world.wait(70)
    #expect(world.begin(api.get(endpoint: "a")).values.map(\.text) == ["one"])
    world.transport.answer(1, 401)
    #expect(world.sent("Authorization") == ["Bearer old", "Bearer old", "Bearer new"])
    world.transport.answer(2, headers: revalidating, body: "two")
    #expect(world.begin(api.get(endpoint: "a")).values.map(\.text) == ["two"])
    #expect(world.transport.requests.count == 3)
  }

  @Test("cachedThenFresh under a session gets the fresh value with a new token")
  func bothUnderSession() throws {
    let session = TokenSession(
      grant: ClosureGrant { _ in
        Just(TokenResponse(accessToken: "new")).setFailureType(to: (any Error).self)
      })
    try session.signIn(Credential(accessToken: "old", refreshToken: "r"))
    let api = CacheWorld.api(over: world.transport, session: session, cache: world.cache)
    world.begin(api.get(endpoint: "a"))
    world.transport.answer(0, headers: revalidating, body: "one")
    world.wait(70)
    let subscriber = world.begin(
      api.get(endpoint: "a").map(\.text).cached(in: world.cache, use: .cachedThenFresh))
    world.transport.answer(1, 401)
    world.transport.answer(2, headers: revalidating, body: "two")
    #expect(subscriber.values == ["one", "two"])
    #expect(subscriber.isFinished)
    #expect(world.sent("Authorization") == ["Bearer old", "Bearer old", "Bearer new"])
  }

  @Test("A failed refresh and one without a response do not block the next ones")
  func hangingRefresh() {
    world.fetch(headers: revalidating, body: "one")
    world.wait(70)
    world.get()
    world.wait(25)
    let asked = world.get()
    world.transport.answer(2, headers: revalidating, body: "two")
    #expect(asked.values.map(\.text) == ["two"])
    world.wait(61)
    #expect(world.get().values.map(\.text) == ["two"])
    world.transport.answer(1, 503)
    world.get()
    #expect(world.transport.requests.count == 4)
    world.transport.answerAll()
  }

  @Test("After the clock goes back, a stored response is validated")
  func clockBack() {
    let now = Lock(CacheWorld.start)
    let cache = HTTPCache(date: { now.withLock { $0 } })
    let api = CacheWorld.api(over: world.transport, cache: cache)
    world.begin(api.get(endpoint: "a"))
    world.transport.answer(0, headers: revalidating, body: "one")
    now.withLock { $0 -= 3_600 }
    #expect(world.begin(api.get(endpoint: "a")).values.isEmpty)
    world.transport.answer(1, 304)
    #expect(world.begin(api.get(endpoint: "a")).values.map(\.text) == ["one"])
    #expect(world.transport.requests.count == 2)
  }
}
