import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The live streams of Docs/Recipes.md, in virtual time", .leakFree)
struct LiveRecipesLifeTests {
  private let scheduler = TestScheduler()
  private let events: HTTPHeaders = ["Content-Type": "text/event-stream"]

  @MainActor
  @Test("A response that is released midway is cancelled")
  func stopped() async {
    let stubs = StubTransport(
      StubAPIResponse(
        request: Recipes.request(.post, "stories"), headers: events,
        pieces: [
          "data: Once\n\n", .after(.seconds(1), "data: upon\n\n"),
          .after(.seconds(1), "data: a time\n\n"),
        ]), scheduler: scheduler)
    let (words, word) = AsyncStream.makeStream(of: String.self)
    let call = Recipes(over: stubs).tell("a story") {
      word.yield($0)
    } completion: { _ in
      word.finish()
    }
    scheduler.advance(by: .milliseconds(1_500))
    var told: [String] = []
    for await text in words {
      told.append(text)
      if told.count == 2 { break }
    }
    call.cancel()
    scheduler.run()
    #expect(told == ["Once", "upon"])
    #expect(stubs.journal.map(\.outcome) == [.cancelled])
  }

  @Test("The events of an engine go on from the last one's time, which comes once")
  func engineEvents() {
    let first = #"{"status": "create", "timeNano": 1795873935451606234}"#
    let second = #"{"status": "remove", "timeNano": 1795873936000000007}"#
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, path: "/events").query(["since": "1795873935"]),
        pieces: [StubPiece(Data((first + "\n").utf8))], end: .reset
      )
      .thenRespondWith(
        request: StubRequest(.get, path: "/events").query(["since": "1795873935.451606234"]),
        pieces: [StubPiece(Data("\(first)\n\(second)\n".utf8))], end: .silence),
      scheduler: scheduler)
    let engine = Recipes.ShopAPI(baseURL: "http://localhost", transport: stubs)
    let policy = ReconnectPolicy(retry: RetryPolicy(scheduler: scheduler))
    let events = TestSubscriber<Recipes.EngineEvents.Event, any Error>()
    Recipes(over: stubs).events(of: engine, since: "1795873935", policy).subscribe(events)
    scheduler.advance(by: .seconds(60))
    #expect(events.values.map(\.status) == ["create", "remove"])
    #expect(events.values.last?.time == "1795873936.000000007")
    events.cancel()
  }

  @Test("Changes survive a server restart and an expired token")
  func changes() {
    let request = Recipes.request(.get, "changes")
    let order = #"{"id": 7, "sku": "A-1"}"#
    let stubs = StubTransport(
      StubAPIResponse(
        request: request, headers: events,
        pieces: [StubPiece(Data("id: 42\nevent: order\ndata: \(order)\n\n".utf8))], end: .reset
      )
      .thenRespondWith(request: request, result: .fault(.connectionRefused))
      .thenRespondWith(request: request.header("Authorization", "Bearer old"), statusCode: 401)
      .thenRespondWith(
        request: request.header("Authorization", "Bearer new"), headers: events,
        pieces: [StubPiece(Data("event: order\ndata: \(order)\n\n".utf8))], end: .silence),
      scheduler: scheduler)
    let session = TokenSession(
      grant: ClosureGrant { _ in
        Just(TokenResponse(accessToken: "new")).setFailureType(to: (any Error).self)
      },
      store: MemoryTokenStore(Credential(accessToken: "old", refreshToken: "r")),
      scheduler: scheduler)
    let shop = Recipes.ShopAPI(
      baseURL: Recipes.host, transport: stubs, retry: RetryPolicy(scheduler: scheduler),
      session: session)
    let orders = TestSubscriber<Recipes.Order, any Error>()
    Recipes(shop: shop).changes(after: "41").subscribe(orders)
    for _ in 0..<100 where orders.values.count < 2 { scheduler.advance(by: .seconds(1)) }
    #expect(orders.values.count == 2)
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Last-Event-ID") }
        == ["41", "42", "42", "42"])
    orders.cancel()
  }

  @Test("A log may be silent for an hour")
  func log() {
    let stubs = StubTransport(
      StubAPIResponse(
        request: Recipes.request(.get, "builds/7/log"),
        pieces: ["compiling\nlin", .after(.seconds(3_600), "king\n")]), scheduler: scheduler)
    let lines = TestSubscriber<String, any Error>()
    Recipes(over: stubs).log(of: 7).subscribe(lines)
    scheduler.advance(by: .seconds(3_599))
    #expect(lines.values == ["compiling"])
    scheduler.advance(by: .seconds(1))
    #expect(lines.values == ["compiling", "linking"])
    #expect(lines.isFinished)
  }
}
