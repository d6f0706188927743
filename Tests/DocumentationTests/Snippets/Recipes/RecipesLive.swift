import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Recipes {
  // snippet: words
  struct Story: Endpoint {
    typealias Response = EventStream
    let prompt: String
    var method: HTTPMethod { .post }
    var path: ResourcePath { "stories" }
    var body: RequestBody? { .json(["prompt": prompt]) }
  }

  @MainActor
  func tell(
    _ prompt: String, word: @escaping @MainActor @Sendable (String) -> Void,
    completion: @escaping @MainActor @Sendable (Subscribers.Completion<any Error>) -> Void
  ) -> AnyCancellable {
    shop.send(Story(prompt: prompt), receive: { word($0.data) }, completion: completion)
  }
  // end

  // snippet: changes
  func changes(after id: String) -> AnyPublisher<Order, any Error> {
    shop.serverSentEvents(
      endpoint: "changes", lastEventID: id, reconnecting: ReconnectPolicy(silence: .seconds(45))
    )
    .filter { $0.type == "order" }
    .tryMap { try $0.decoded(as: Order.self) }
    .eraseToAnyPublisher()
  }
  // end

  // snippet: follow-log
  func log(of build: Int) -> AnyPublisher<String, any Error> {
    shop.events(endpoint: "builds/\(build)/log") { request in
      var request = request
      request.timeoutInterval = .infinity
      return request
    }
    .validateStatus()
    .lines()
  }
  // end

  // snippet: engine-events
  struct EngineEvents: Endpoint {
    nonisolated struct Event: Decodable, Sendable {
      let status: String
      let timeNano: Int64
      /// The time in seconds, with nine digits of its fraction.
      var time: String { "\("\(timeNano)".dropLast(9)).\("\(timeNano)".suffix(9))" }
    }
    typealias Response = JSONLines<Event>

    let since: String
    let path: ResourcePath = "events"
    var query: QueryItems { ["since": since] }
  }

  func events(
    of engine: some RESTAPI, since start: String, _ policy: ReconnectPolicy
  ) -> AnyPublisher<EngineEvents.Event, any Error> {
    engine.publisher(for: EngineEvents(since: start))
      .follow(policy) { request, last in request.settingQuery(["since": last.time]) }
      .removeDuplicates { $0.timeNano == $1.timeNano }
      .eraseToAnyPublisher()
  }
  // end

  // snippet: export
  struct Export: Endpoint {
    typealias Response = JSONLines<Order>
    var path: ResourcePath { "orders.ndjson" }
  }

  func highestID() async throws -> Int {
    var highest = 0
    for try await order in shop.values(for: Export()) { highest = max(highest, order.id) }
    return highest
  }
  // end

  // snippet: cursor
  func allOrders(retrying policy: RetryPolicy) -> AnyPublisher<Order, any Error> {
    shop.events(endpoint: "orders.ndjson").decodeLines(of: Order.self)
      .retry(policy) { request, last in
        request.settingHeader("X-After", to: "\(last.id)")
      }
  }
  // end
}

struct RecipesForLiveTests {
  typealias ShopAPI = Recipes.ShopAPI

  // snippet: test-stream
  @Test("A feed that breaks continues after three seconds, after its last event")
  func feed() {
    let scheduler = TestScheduler()
    let changes = StubRequest(.get, path: "/changes")
    let stubs = StubTransport(
      StubAPIResponse(
        request: changes, headers: ["Content-Type": "text/event-stream"],
        pieces: ["id: 1\ndata: first\n\n", .after(.seconds(5), "data: half")], end: .reset
      )
      .thenRespondWith(
        request: changes.header("Last-Event-ID", "1"),
        headers: ["Content-Type": "text/event-stream"],
        pieces: ["data: second\n\n"], end: .silence),
      scheduler: scheduler)
    let shop = ShopAPI(
      baseURL: "https://shop.example.com", transport: stubs,
      retry: RetryPolicy(scheduler: scheduler))
    let events = TestSubscriber<ServerSentEvent, any Error>()
    shop.serverSentEvents(endpoint: "changes", reconnecting: ReconnectPolicy(maxDelay: .seconds(3)))
      .subscribe(events)

    scheduler.advance(by: .seconds(7))
    #expect(events.values.map(\.data) == ["first"])
    scheduler.advance(by: .seconds(1))
    #expect(events.values.map(\.data) == ["first", "second"])
    events.cancel()
  }
  // end
}
