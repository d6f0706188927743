import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("An endpoint with a streamed response", .leakFree)
struct StreamedEndpointTests {
  private struct Feed: Endpoint {
    typealias Response = EventStream
    var path: ResourcePath { "feed" }
  }

  private struct Chat: Endpoint {
    typealias Response = EventStream
    let prompt: String
    var method: HTTPMethod { .post }
    var path: ResourcePath { "feed" }
    var body: RequestBody? { .json(["prompt": prompt]) }
  }

  private struct Numbers: Endpoint {
    typealias Response = JSONLines<Int>
    var path: ResourcePath { "feed" }
  }

  private struct Sequence: Endpoint {
    typealias Response = JSONTextSequence<Int>
    var path: ResourcePath { "feed" }
  }

  private func stubs(_ pieces: [StubPiece], _ method: HTTPMethod = .get) -> StubTransport {
    StubTransport(
      StubAPIResponse(
        request: StubRequest(method, urlString: LiveFeed.url), headers: LiveFeed.type,
        pieces: pieces))
  }

  @Test("Events continue from connection to connection")
  func events() {
    let feed = LiveFeed([.events("id: 1\ndata: a\n\n"), .events("data: b\n\n"), .status(204)])
    feed.api.publisher(for: Feed(), reconnecting: feed.policy, lastEventID: "0")
      .receive(subscriber: feed.subscriber)
    feed.scheduler.run()
    #expect(feed.data == ["a", "b"])
    #expect(feed.ids == ["0", "1", "1"])
    #expect(feed.stubs.requests.allSatisfy { $0.httpBody == nil })
    #expect(feed.subscriber.isFinished)
  }

  @Test("A line of events has 1 MiB at most, unless a caller says otherwise", arguments: [0, 1])
  func defaultLimit(excess: Int) async {
    let field = "data: "
    let text = String(repeating: "x", count: 1 << 20 - field.count + excess)
    let line = [StubPiece(Data("\(field)\(text)\n\n".utf8))]
    for isEndpoint in [true, false] {
      let api = TestAPI(transport: stubs(line))
      let events =
        isEndpoint
        ? api.publisher(for: Feed(), reconnecting: .never)
        : api.serverSentEvents(endpoint: "feed", reconnecting: .never)
      var sizes: [Int] = []
      do {
        for try await event in events.values { sizes.append(event.data.utf8.count) }
        #expect(excess == 0)
      } catch {
        #expect(excess == 1, "\(error)")
      }
      #expect(sizes == (excess == 0 ? [text.utf8.count] : []))
    }
  }

  @Test("The retry policy of an endpoint goes before its API's")
  func ownPolicy() {
    struct Own: Endpoint {
      typealias Response = EventStream
      let retry: RetryPolicy?
      var path: ResourcePath { "feed" }
    }
    for (own, count) in [(nil, 1), (1, 2)] as [(Int?, Int)] {
      let feed = LiveFeed([.status(503), .status(404)])
      let one = RetryPolicy.unbudgeted(feed.scheduler)
      var (none, reconnecting) = (one, feed.policy)
      none.statuses = []
      reconnecting.retry = nil
      let api = TestAPI(transport: feed.stubs, retry: none)
      api.publisher(for: Own(retry: own.map { _ in one }), reconnecting: reconnecting)
        .receive(subscriber: feed.subscriber)
      feed.scheduler.run()
      #expect(feed.stubs.requests.count == count)
    }
  }

  @Test("A POST is sent with its body, once")
  func post() async throws {
    let stubs = stubs(["data: Hel\n\n", "data: lo\n\n"], .post)
    var words: [String] = []
    for try await event in TestAPI(transport: stubs).values(for: Chat(prompt: "Hi")) {
      words.append(event.data)
    }
    #expect(words == ["Hel", "lo"])
    #expect(stubs.requests.map(\.httpBody) == [Data(#"{"prompt":"Hi"}"#.utf8)])
  }

  @Test("A stream's request has the time limit of its endpoint, with which its modifier begins")
  func timeout() {
    struct Timed: Endpoint {
      typealias Response = EventStream
      let timeout = Duration.seconds(7)
      var path: ResourcePath { "feed" }
    }
    let feed = LiveFeed([.status(204)])
    let limit = Lock(TimeInterval(0))
    feed.api.publisher(for: Timed(), reconnecting: feed.policy) { request in
      limit.withLock { $0 = request.timeoutInterval }
      return request
    }
    .receive(subscriber: feed.subscriber)
    feed.scheduler.run()
    #expect(limit.withLock { $0 } == 7)
  }

  @Test("The body of JSON lines' request is given in pieces, and a request without one has none")
  func bodyInPieces() {
    struct Asked: Endpoint {
      typealias Response = JSONLines<Int>
      let body: RequestBody?
      var method: HTTPMethod { body == nil ? .get : .post }
      var path: ResourcePath { "feed" }
    }
    for body in [nil, RequestBody.data(Data("1".utf8))] {
      let transport = PiecesTransport()
      _ = TestAPI(transport: transport).publisher(for: Asked(body: body)).sink(
        receiveCompletion: { _ in }, receiveValue: { _ in })
      #expect(transport.bodies.withLock { $0 } == [body != nil])
    }
  }

  @Test("JSON lines and sequences come as values")
  func lines() async throws {
    var numbers: [Int] = []
    for try await number in TestAPI(transport: stubs(["1\n2", "3\n"])).values(for: Numbers()) {
      numbers.append(number)
    }
    #expect(numbers == [1, 23])
    let sequence = TestSubscriber<Int, any Error>()
    TestAPI(transport: stubs(["\u{1E}1\n", "\u{1E}2\n"])).publisher(for: Sequence())
      .receive(subscriber: sequence)
    #expect(sequence.values == [1, 2])
  }

  @Test("The error of a line names the request, also one that is skipped, and a refused status")
  func lineErrors() throws {
    for failing in [
      TestAPI(transport: stubs(["1\n", "?\n"])).publisher(for: Numbers()),
      TestAPI(transport: stubs(["1\n", "?\n"])).events(endpoint: "feed")
        .decodeLines(of: Int.self),
    ] {
      let subscriber = TestSubscriber<Int, any Error>()
      failing.receive(subscriber: subscriber)
      #expect(subscriber.values == [1])
      let error = try #require(subscriber.failure as? RESTError)
      #expect(error.request?.method == .get)
      #expect("\(error)".hasPrefix("GET https://api.example.com/v1/feed: line 2"), "\(error)")
      #expect(error.body == Data("?".utf8))
    }
    let skipped = TestSubscriber<String, Never>()
    let told = PassthroughSubject<String, Never>()
    told.receive(subscriber: skipped)
    let subscriber = TestSubscriber<Int, any Error>()
    TestAPI(transport: stubs(["?\n", "1\n"])).events(endpoint: "feed")
      .decodeLines(of: Int.self, skippingInvalid: { told.send("\($0)") })
      .receive(subscriber: subscriber)
    #expect(subscriber.values == [1])
    #expect(skipped.values.first?.hasPrefix("GET https://api.example.com/v1/feed: ") == true)
    let refused = TestSubscriber<Int, any Error>()
    TestAPI(
      transport: StubTransport(
        StubAPIResponse(request: StubRequest(.get, urlString: LiveFeed.url), statusCode: 404))
    )
    .publisher(for: Numbers()).receive(subscriber: refused)
    #expect((refused.failure as? RESTError)?.request?.method == .get)
  }

  @Test("A closure is called for each element, and another one at the end")
  func callback() {
    let received = TestSubscriber<Int, any Error>()
    let values = PassthroughSubject<Int, any Error>()
    values.receive(subscriber: received)
    let call = TestAPI(transport: stubs(["1\n", "2\n"])).send(Numbers(), on: .immediate) {
      values.send($0)
    } completion: {
      values.send(completion: $0)
    }
    #expect(received.values == [1, 2])
    #expect(received.isFinished)
    call.cancel()
  }

  @Test("A loop and a call with closures take a modifier of the request")
  func modifiers() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, urlString: LiveFeed.url), pieces: ["1\n"]
      ).always())
    let api = TestAPI(transport: stubs)
    let endless: RequestModifier = { request in
      var request = request
      request.timeoutInterval = .infinity
      return request
    }
    for try await number in api.values(for: Numbers(), requestModifier: endless) {
      #expect(number == 1)
    }
    let call = api.send(Numbers(), on: .immediate) { _ in
    } completion: { _ in
    } requestModifier: {
      endless($0)
    }
    call.cancel()
    let onMainActor = api.send(
      Numbers(), receive: { _ in }, completion: { _ in }, requestModifier: endless)
    onMainActor.cancel()
    #expect(stubs.requests.count == 3)
    #expect(stubs.requests.allSatisfy { $0.timeoutInterval == .infinity })
  }

  @Test("Closures run on the main actor by default")
  @MainActor
  func mainActor() async {
    var numbers: [Int] = []
    let hold = CurrentValueSubject<AnyCancellable?, Never>(nil)
    await withCheckedContinuation { continuation in
      let call = TestAPI(transport: stubs(["1\n", "2\n"])).send(Numbers()) {
        numbers.append($0)
      } completion: { _ in
        continuation.resume()
      }
      hold.send(call)
    }
    hold.send(nil)
    #expect(numbers == [1, 2])
  }

  @Test("Requested as a whole, the endpoint fails and names the alternative")
  func whole() throws {
    let error = try #require(throws: RESTError.self) {
      let url = try #require(URL(string: LiveFeed.url))
      let response = RESTResponse(
        head: ResponseHead(url: url, statusCode: 200), data: Data(),
        request: RequestSummary(method: .get, url: url))
      _ = try Numbers().answer(response)
    }
    #expect(error.kind == .decoding)
    #expect(error.remedy.contains("publisher(for:)"))
  }
}

/// A transport that records whether a request's body came in pieces.
private final class PiecesTransport: Transport {
  let bodies = Lock<[Bool]>([])

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Empty().eraseToAnyPublisher()
  }

  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    bodies.withLock { $0.append(body != nil && request.httpBody == nil) }
    return Empty().eraseToAnyPublisher()
  }
}
