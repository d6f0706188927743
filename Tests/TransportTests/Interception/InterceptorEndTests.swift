import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A step of one's own answers, fails, measures and ends", .leakFree, .timeLimit(.minutes(10)))
struct InterceptorEndTests {
  private typealias Subscriber = TestSubscriber<RESTResponse, any Error>

  private static let url = "https://api.example.com/a"

  private let scheduler = TestScheduler()

  private func begin(_ publisher: some Publisher<RESTResponse, any Error>) -> Subscriber {
    let subscriber = Subscriber()
    publisher.receive(subscriber: subscriber)
    return subscriber
  }

  private func request() throws -> URLRequest {
    URLRequest(url: try #require(URL(string: Self.url)))
  }

  private func fault(_ kind: TransportError.Kind, isKnown: Bool) -> TransportError {
    TransportError(kind: kind, mayHaveBeenProcessed: !isKnown)
  }

  // MARK: Faults

  @Test(
    "An injected fault of the network is retried as a real one",
    arguments: [HTTPMethod.get, .post], [true, false])
  func faults(method: HTTPMethod, isKnown: Bool) throws {
    let transport = ScriptedTransport(.status(200), on: scheduler)
    let count = Counter()
    let faulty = transport.intercepted { _ in
      count.add()
      if count.value == 1 { throw fault(.connectionReset, isKnown: isKnown) }
    }
    let api = TestAPI(baseURL: TestAPI.origin, transport: faulty, retry: .test(scheduler))
    let call = begin(api.request(method, endpoint: "a"))
    scheduler.run()
    if method == .get || isKnown {
      #expect(call.values.map(\.statusCode) == [200])
      #expect(transport.requests.count == 1)
    } else {
      let error = try #require(call.failure as? RESTError)
      #expect(error.kind == .transport(.connectionReset))
      #expect("\(error)".contains("POST \(Self.url)"))
      #expect(transport.requests.isEmpty)
    }
  }

  @Test("A fault of a step that awaits is one of the network, too")
  func awaitedFault() async throws {
    let stubs = StubTransport()
    let faulty = stubs.intercepted { _ in
      await Task.yield()
      throw fault(.connectionRefused, isKnown: true)
    }
    let error = try await restError(
      of: TestAPI(baseURL: TestAPI.origin, transport: faulty).get(endpoint: "a"))
    #expect(error.kind == .transport(.connectionRefused))
    #expect((error.underlyingError as? TransportError)?.mayHaveBeenProcessed == false)
    #expect(stubs.requests.isEmpty)
  }

  @Test("Another error reaches the caller unchanged, and nothing is sent or repeated")
  func failure() async throws {
    let stubs = StubTransport()
    let count = Counter()
    let steps = [
      stubs.intercepted { _ in
        count.add()
        throw TestFailure(name: "no key")
      },
      stubs.intercepted { _ in
        count.add()
        await Task.yield()
        throw TestFailure(name: "no key")
      },
    ]
    for transport in steps {
      let api = TestAPI(baseURL: TestAPI.origin, transport: transport, retry: .test(scheduler))
      await #expect(throws: TestFailure(name: "no key")) { try await api.get(endpoint: "a").value }
      let received = await api.events(endpoint: "a").received()
      #expect(received.failure as? TestFailure == TestFailure(name: "no key"))
    }
    #expect(count.value == 4)
    #expect(stubs.requests.isEmpty)
  }

  // MARK: Responses

  @Test("A response without the server is treated as one of the server")
  func answer() throws {
    let transport = ScriptedTransport(.status(200), on: scheduler)
    let count = Counter()
    let busy = transport.intercepted { exchange in
      count.add()
      if count.value < 3 { exchange.response = .status(503, to: exchange.request) }
    }
    let call = begin(
      TestAPI(baseURL: TestAPI.origin, transport: busy, retry: .test(scheduler)).get(endpoint: "a"))
    scheduler.run()
    #expect(call.values.map(\.statusCode) == [200])
    #expect(count.value == 3)
    #expect(transport.requests.count == 1)
  }

  @Test("A response comes in pieces where pieces are asked for, and no body is sent")
  func responseInPieces() async {
    let stubs = StubTransport()
    let transport = stubs.intercepted { exchange in
      exchange.response = .json("[1]", to: exchange.request)
    }
    let api = TestAPI(baseURL: TestAPI.origin, transport: transport)
    let received = await api.events(.post, endpoint: "a", body: .data(Data("b".utf8))).received()
    #expect(received.data == Data("[1]".utf8))
    #expect(received.heads.map(\.statusCode) == [200])
    #expect(received.sent.isEmpty)
    #expect(stubs.requests.isEmpty)
  }

  @Test("A response keeps the transport's limits, and a HEAD has no body")
  func responseLimits() async throws {
    var limits = TransportLimits()
    limits.bodyBytes = 2
    let server = ClosureTransport(limits: limits) { .status(200, to: $0) }
    let transport = server.intercepted { $0.response = .json("[1]", to: $0.request) }
    #expect(transport.limits.bodyBytes == 2)
    let error = try await restError(
      of: TestAPI(baseURL: TestAPI.origin, transport: transport).get(endpoint: "a"))
    #expect(error.kind == .transport(.limitExceeded(.bodyBytes)))
    #expect(
      try await TestAPI(baseURL: TestAPI.origin, transport: transport).head(endpoint: "a").value
        .data.isEmpty)
    // The limit is one on whole bodies.
    #expect(
      await TestAPI(baseURL: TestAPI.origin, transport: transport).events(endpoint: "a").received()
        .data.count == 3)
  }

  // MARK: Measures

  /// Writes down what happens to the exchanges, with the virtual time.
  private func logged(_ transport: any Transport, in log: ValueLog<String>) -> InterceptedTransport
  {
    let scheduler = scheduler
    return transport.intercepted { exchange in
      let start = scheduler.now
      exchange.onHead { log.add("head \($0.statusCode) after \(scheduler.now - start)") }
      exchange.onEnd { end in
        let text =
          switch end {
          case .answered(let head, let metrics):
            "\(head.statusCode)\(metrics?.isConnectionReused == true ? " reused" : "")"
          case .failed(let error as RESTError) where error.kind == .transport(.connectionReset):
            "connectionReset"
          case .failed(let error): "\(error)"
          case .cancelled: "cancelled"
          }
        log.add("\(text) after \(scheduler.now - start)")
      }
    }
  }

  @Test("A step sees the head and the end of each exchange, and how long it took")
  func measure() throws {
    let (log, held) = (ValueLog<String>(), HeldTransport())
    let call = begin(
      logged(held, in: log).response(for: try request()).handleEvents(receiveOutput: { _ in
        log.add("value")
      }))
    scheduler.advance(by: .seconds(2))
    held.answer(0, 404, metrics: ExchangeMetrics(isConnectionReused: true))
    #expect(call.isFinished)
    #expect(log.all == ["head 404 after 2.0 seconds", "404 reused after 2.0 seconds", "value"])
  }

  @Test("A step sees a failure, and a cancel")
  func measureFailure() throws {
    let (log, held) = (ValueLog<String>(), HeldTransport())
    let transport = logged(held, in: log)
    let calls = [
      begin(transport.response(for: try request())), begin(transport.response(for: try request())),
    ]
    scheduler.advance(by: .seconds(1))
    held.fail(0)
    calls[1].cancel()
    #expect(held.cancelCount == 1)
    #expect(
      log.all == ["connectionReset after 1.0 seconds", "cancelled after 1.0 seconds"])
  }

  @Test("In pieces, the head is seen before the end, and no piece comes unasked")
  func measurePieces() throws {
    let log = ValueLog<String>()
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: Self.url),
        pieces: ["a", .after(.seconds(2), "b"), .after(.seconds(1), "c")], delay: .seconds(1)),
      scheduler: scheduler)
    let events = TestSubscriber<TransferEvent, any Error>(demand: .max(2))
    logged(stubs, in: log).events(for: try request()).receive(subscriber: events)
    scheduler.advance(by: .seconds(10))
    #expect(events.values.map(\.description).last == "chunk of 1 bytes")
    #expect(events.values.count == 2)
    #expect(log.all == ["head 200 after 1.0 seconds"])
    events.request(.max(1))
    #expect(events.values.count == 3)
    events.request(.unlimited)
    scheduler.run()
    #expect(events.isFinished)
    #expect(log.all.count == 2 && log.all[1].hasPrefix("200 after"))
    try stubs.verify()
  }

  @Test("A step that throws after it has asked for the end is told its own failure")
  func ownFailure() throws {
    let log = ValueLog<String>()
    let faulty = HeldTransport().intercepted { exchange in
      exchange.onHead { _ in log.add("head") }
      exchange.onEnd { end in
        if case .failed(let error as TestFailure) = end { log.add(error.name) }
      }
      throw TestFailure()
    }
    _ = begin(faulty.response(for: try request()))
    #expect(log.all == ["test"])
  }
}
