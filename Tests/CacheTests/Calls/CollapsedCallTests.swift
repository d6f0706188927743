import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@Suite("With a cache, calls share only responses that others may use", .leakFree)
struct CollapsedCallTests {
  private let world = CacheWorld(coalescer: RequestCoalescer())

  @Test(
    "A response that may not be reused goes to the call that asked, and the others send their own",
    arguments: [
      ["Cache-Control": "no-store"], ["Cache-Control": "no-cache"], ["Vary": "*"],
      ["Set-Cookie": "id=1"],
    ] as [HTTPHeaders])
  func forbidden(fields: HTTPHeaders) {
    let callers = (1...3).map { _ in world.get() }
    #expect(world.transport.requests.count == 1)
    world.transport.answer(0, headers: fields)
    #expect(callers.map { $0.values.count } == [1, 0, 0])
    #expect(world.transport.requests.count == 3)
    for place in 1...2 { world.transport.answer(place, headers: fields) }
    #expect(callers.map { $0.values.map(\.text) } == [["0"], ["1"], ["2"]])
    #expect(callers.allSatisfy { $0.isFinished })
    #expect(callers.allSatisfy { $0.values.first?.isCollapsed == false })
  }

  @Test("A call says in its log why it sent a request of its own")
  func log() throws {
    let observed = ObservedTransport(world.transport, clock: world.scheduler)
    let logs = TestSubscriber<CallLog, Never>()
    observed.callLogs.receive(subscriber: logs)
    let api = CacheWorld.api(over: observed, cache: world.cache, coalescer: RequestCoalescer())
    for _ in 1...2 { world.begin(api.get(endpoint: "a")) }
    world.transport.answer(0, headers: ["Cache-Control": "no-store"])
    world.transport.answer(1, headers: ["Cache-Control": "no-store"])
    let words = try #require(logs.values.last).events.map(\.description)
    #expect(words.contains("cache: not shared: no-store"))
    #expect(words.contains("sent, attempt 2"))
  }

  @Test("A cookie in a stored response is shared, as it is given to later calls")
  func storedCookie() {
    let callers = (1...2).map { _ in world.get() }
    world.transport.answer(0, headers: ["Set-Cookie": "id=1", "Cache-Control": "max-age=60"])
    #expect(callers.map { $0.values.map(\.text) } == [["0"], ["0"]])
    #expect(callers[1].values.first?.isCollapsed == true)
  }

  @Test(
    "An error is shared, so that a server in trouble is not asked by each", arguments: [401, 503])
  func errors(status: Int) {
    let callers = (1...3).map { _ in world.get() }
    world.transport.answer(0, status, headers: ["Cache-Control": "no-store"])
    #expect(callers.allSatisfy { $0.isFinished })
    #expect(world.transport.requests.count == 1)
  }

  @Test("A pipeline that asks for sharing by hand shares every response")
  func byHand() {
    let coalescer = RequestCoalescer()
    let callers = (1...3).map { _ in
      world.begin(world.api.get(endpoint: "a").coalesced(in: coalescer))
    }
    world.transport.answer(0, headers: ["Cache-Control": "no-store"])
    #expect(callers.map { $0.values.map(\.text) } == [["0"], ["0"], ["0"]])
  }

  @Test("A request with no-store shares its response with nobody")
  func requestNoStore() {
    for _ in 1...2 { world.get("a", ["Cache-Control": "no-store"]) }
    #expect(world.transport.requests.count == 2)
    world.transport.answerAll()
  }

  @Test("A caller's deadline ends its own wait for a turn, and not that of a shared request")
  func deadline() {
    let limiter = RateLimiter(1, per: .seconds(60), scheduler: world.scheduler)
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: world.transport, rateLimiter: limiter,
      coalescer: RequestCoalescer())
    world.begin(api.get(endpoint: "first"))
    let hasty = world.begin(
      api.get(endpoint: "a").call(
        deadline: .after(.seconds(5), scheduler: world.scheduler)))
    let patient = world.begin(api.get(endpoint: "a"))
    #expect(patient.failure == nil)
    world.wait(5)
    #expect((hasty.failure as? RESTError)?.kind == .transport(.timedOut))
    world.wait(60)
    world.transport.answerAll()
    #expect(patient.values.map(\.text) == ["1"])
    #expect(world.transport.paths == ["/first", "/a"])
  }
}

extension RESTResponse {
  /// Whether the call shared the exchange of another one.
  fileprivate var isCollapsed: Bool {
    if case .forwarded(_, _, _, isCollapsed: true, _, _) = cacheStatus { true } else { false }
  }
}
