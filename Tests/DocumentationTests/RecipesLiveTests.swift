import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The recipes of Docs/Recipes.md for live streams", .leakFree)
struct LiveRecipesTests {
  private let scheduler = TestScheduler()
  private let events: HTTPHeaders = ["Content-Type": "text/event-stream"]

  @MainActor
  @Test("The callback receives the words of a response and then its end")
  func words() async {
    let stubs = StubTransport(
      StubAPIResponse(
        request: Recipes.request(.post, "stories").jsonBody(#"{"prompt": "a story"}"#),
        headers: events, pieces: ["data: Once\n\n", "data: upon\n\n"]))
    let (ends, end) = AsyncStream.makeStream(of: Bool.self)
    var words: [String] = []
    let call = Recipes(over: stubs).tell("a story") {
      words.append($0)
    } completion: { completion in
      if case .finished = completion { end.yield(true) } else { end.yield(false) }
      end.finish()
    }
    for await isFinished in ends { #expect(isFinished) }
    withExtendedLifetime(call) {}
    #expect(words == ["Once", "upon"])
  }

  @Test("Changes are filtered by type and start after the last known one")
  func changes() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: Recipes.request(.get, "changes").header("Last-Event-ID", "41"), headers: events,
        pieces: [
          "event: hello\ndata: x\n\nevent: order\ndata: {\"id\": 7, \"sku\": \"A-1\"}\n\n"
        ], end: .silence))
    let orders = try await Recipes(over: stubs).changes(after: "41").prefix(1).collect().value
    #expect(orders.map(\.id) == [7])
  }

  @Test("A log is followed line by line")
  func log() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: Recipes.request(.get, "builds/7/log"), pieces: ["compi", "ling\nlin", "king\n"]))
    #expect(
      try await Recipes(over: stubs).log(of: 7).collect().value == ["compiling", "linking"])
  }

  @Test("JSON lines are counted as they arrive")
  func export() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: Recipes.request(.get, "orders.ndjson"),
        pieces: ["{\"id\": 7, \"sku\": \"A\"}\n{\"id\": 9, ", "\"sku\": \"B\"}\n"]))
    #expect(try await Recipes(over: stubs).highestID() == 9)
  }

  @Test("A list that breaks continues after its last value")
  func cursor() {
    let request = Recipes.request(.get, "orders.ndjson")
    let stubs = StubTransport(
      StubAPIResponse(
        request: request, pieces: ["{\"id\": 7, \"sku\": \"A\"}\n{\"id\""], end: .cut
      )
      .thenRespondWith(
        request: request.header("X-After", "7"), pieces: ["{\"id\": 8, \"sku\": \"B\"}\n"]),
      scheduler: scheduler)
    let orders = TestSubscriber<Recipes.Order, any Error>()
    Recipes(over: stubs).allOrders(retrying: RetryPolicy(scheduler: scheduler)).subscribe(orders)
    scheduler.run()
    #expect(orders.values.map(\.id) == [7, 8])
    #expect(orders.isFinished)
  }
}
