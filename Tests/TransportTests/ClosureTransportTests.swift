import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A transport that is a closure", .timeLimit(.minutes(10)))
struct ClosureTransportTests {
  private struct Order: Codable, Equatable {
    let id: Int
  }

  /// Ends with the task that waits for it only.
  private let never = AsyncStream<Void>.makeStream()

  private struct Refusal: Error, Equatable {}

  private func request(_ method: String = "GET") throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: "https://shop.example.com/v1/orders")))
    request.httpMethod = method
    return request
  }

  private func call(
    _ method: String = "GET", over transport: ClosureTransport
  ) throws -> TestSubscriber<RESTResponse, any Error> {
    let call = TestSubscriber<RESTResponse, any Error>()
    transport.response(for: try request(method)).receive(subscriber: call)
    return call
  }

  // MARK: Responses

  @Test("The closure answers an API's call, with the request's URL")
  func answer() async throws {
    let api = TestAPI(
      baseURL: "https://shop.example.com/v1",
      transport: ClosureTransport { request in
        .json(#"{"id": 7}"#, to: request)
      })
    let response = try await api.get(endpoint: "orders/7").value
    #expect(response.url.absoluteString == "https://shop.example.com/v1/orders/7")
    #expect(response.headers["Content-Type"] == "application/json")
    #expect(response.request.description == "GET https://shop.example.com/v1/orders/7")
    let order = try await api.get(endpoint: "orders/7").decode(type: Order.self).value
    #expect(order == Order(id: 7))
  }

  @Test("A value is encoded, with a status, an encoder and its own header fields")
  func encoding() throws {
    let response = try RESTResponse.json(
      encoding: Order(id: 7), status: 201,
      headers: ["content-type": "application/vnd.api+json", "X-A": "1"], to: request())
    #expect(response.statusCode == 201)
    #expect(response.headers == ["content-type": "application/vnd.api+json", "X-A": "1"])
    #expect(response.data == Data(#"{"id":7}"#.utf8))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .prettyPrinted
    let pretty = try RESTResponse.json(encoding: Order(id: 7), with: encoder, to: request())
    #expect(pretty.data == (try encoder.encode(Order(id: 7))) && pretty.statusCode == 200)
  }

  @Test("A closure that awaits nothing answers on the subscribing thread")
  func atOnce() throws {
    let call = try call(over: ClosureTransport { .status(404, to: $0) })
    #expect(call.values.map(\.statusCode) == [404])
    #expect(call.isFinished)
  }

  @Test("Nothing runs before a subscription, and each subscription runs the closure once")
  func lazy() throws {
    let count = Atomic(0)
    let transport = ClosureTransport { request in
      count.add(1, ordering: .relaxed)
      return .status(204, to: request)
    }
    let response = transport.response(for: try request())
    #expect(count.load(ordering: .relaxed) == 0)
    for _ in 0..<2 {
      response.receive(subscriber: TestSubscriber<RESTResponse, any Error>())
    }
    #expect(count.load(ordering: .relaxed) == 2)
  }

  @Test("A body of any kind is in memory when the closure receives the request")
  func body() async throws {
    let transport = ClosureTransport { request in
      .status(200, data: request.httpBody ?? Data(), to: request)
    }
    let chunks = ["a", "b"].publisher.setFailureType(to: (any Error).self).map { Data($0.utf8) }
    var seen: [String] = []
    for try await event in transport.events(for: try request("PUT"), body: .chunks(chunks)).values {
      switch event {
      case .sent(let progress): seen.append("sent \(progress.completedBytes)")
      case .head(let head): seen.append("\(head.statusCode)")
      case .chunk(let data): seen.append(String(decoding: data, as: UTF8.self))
      }
    }
    #expect(seen == ["sent 2", "200", "ab"])
  }

  @Test(
    "A HEAD, a 204 and a 304 have no body",
    arguments: [("HEAD", 200), ("GET", 204), ("GET", 304)])
  func bodiless(method: String, status: Int) throws {
    let transport = ClosureTransport { .json("{}", status: status, to: $0) }
    let call = try call(method, over: transport)
    #expect(call.values.map(\.data) == [Data()])
    #expect(call.values.map(\.statusCode) == [status])
  }

  @Test("Two closure transports are distinct, even with equal closures")
  func identity() {
    let (one, other) = (
      ClosureTransport { .status(200, to: $0) }, ClosureTransport { .status(200, to: $0) }
    )
    #expect(one.identity != other.identity)
  }

  // MARK: Failures

  @Test("A network fault fails the call like a transport's fault")
  func fault() throws {
    let call = try call(
      over: ClosureTransport { _ in
        throw TransportError(kind: .connectionRefused, mayHaveBeenProcessed: false)
      })
    let error = try #require(call.failure as? RESTError)
    #expect(error.kind == .transport(.connectionRefused))
    #expect(error.description.contains("GET https://shop.example.com/v1/orders"))
  }

  @Test("SEC-09: a 101 is refused, as over a network")
  func switching() throws {
    let call = try call(over: ClosureTransport { .status(101, to: $0) })
    let error = try #require(call.failure as? RESTError)
    #expect(error.kind == .transport(.malformedResponse))
  }

  @Test("Another error stays unchanged, even from a closure that awaits")
  func ownError() async throws {
    let atOnce = ClosureTransport { _ in throw Refusal() }
    #expect(try call(over: atOnce).failure as? Refusal == Refusal())
    let awaited = ClosureTransport { _ in
      await Task.yield()
      throw Refusal()
    }
    var endless = try request()
    // The task may wait for many other tests.
    endless.timeoutInterval = .infinity
    let call = awaited.response(for: endless)
    await #expect(throws: Refusal.self) { try await call.value }
  }

  @Test("An invalid request does not reach the closure")
  func refusal() throws {
    let transport = ClosureTransport { request in
      Issue.record("The closure ran")
      return .status(200, to: request)
    }
    let call = try call("CONNECT", over: transport)
    #expect((call.failure as? RESTError)?.kind == .invalidRequest)
  }

  @Test("A response over a limit fails, and in pieces its body may have any size")
  func limits() async throws {
    var limits = TransportLimits()
    limits.bodyBytes = 10
    limits.headerCount = 1
    let long = ClosureTransport(limits: limits) { .status(200, data: Data(count: 11), to: $0) }
    #expect(
      (try call(over: long).failure as? RESTError)?.kind == .transport(.limitExceeded(.bodyBytes)))
    let pieces = TestSubscriber<TransferEvent, any Error>()
    long.events(for: try request()).receive(subscriber: pieces)
    #expect(pieces.values.count == 2 && pieces.isFinished)
    let wide = ClosureTransport(limits: limits) {
      .status(200, headers: ["A": "1", "B": "2"], to: $0)
    }
    #expect(
      (try call(over: wide).failure as? RESTError)?.kind
        == .transport(.limitExceeded(.headerCount)))
  }

  @Test("A head with two lengths is malformed")
  func framing() throws {
    let transport = ClosureTransport {
      .status(200, headers: ["Content-Length": "1", "content-length": "2"], to: $0)
    }
    let error = try #require(call(over: transport).failure as? RESTError)
    #expect(error.kind == .transport(.malformedResponse))
  }

  // MARK: Time

  @Test("A closure that does not return is abandoned after the request's timeout")
  func timeout() async throws {
    let ends = AsyncStream<Bool>.makeStream()
    let transport = ClosureTransport { [never] request in
      for await _ in never.stream {}
      ends.continuation.yield(Task.isCancelled)
      return .status(200, to: request)
    }
    var request = try request()
    request.timeoutInterval = 0.05
    let error = await #expect(throws: RESTError.self) {
      try await transport.response(for: request).value
    }
    #expect(error?.kind == .transport(.timedOut))
    #expect(await ends.stream.first { _ in true } == true)
  }

  @Test("A cancel cancels the closure's task")
  func cancel() async throws {
    let (begins, ends) = (AsyncStream<Void>.makeStream(), AsyncStream<Bool>.makeStream())
    let transport = ClosureTransport { [never] request in
      begins.continuation.yield()
      for await _ in never.stream {}
      ends.continuation.yield(Task.isCancelled)
      return .status(200, to: request)
    }
    var request = try request()
    request.timeoutInterval = 3_600
    let call = transport.response(for: request)
      .sink(receiveCompletion: { _ in Issue.record("It ended") }, receiveValue: { _ in })
    _ = await begins.stream.first { _ in true }
    call.cancel()
    #expect(await ends.stream.first { _ in true } == true)
  }

  // MARK: The rules

  @Test("A closure transport keeps the rules of transports, except those for pieces")
  func conformance() async throws {
    // The closure's own limits are those that count.
    var boundless = TransportLimits()
    (boundless.bodyBytes, boundless.errorBodyBytes) = (.max, .max)
    let kit = TransportConformance("ClosureTransport") { [boundless] limits in
      #if os(Linux)
        let inner = try CurlTransport(limits: boundless)
      #else
        let inner = URLSessionTransport(limits: boundless)
      #endif
      return ClosureTransport(limits: limits) { try await inner.response(for: $0).value }
    }
    // The closure's task waits behind all tests that run at the same time.
    try await kit
      .waiting(.seconds(300))
      .skipping(.promptHead, .promptChunks, because: "a closure returns a whole response")
      .skipping(.cancel, because: "it cancels behind a first chunk; a test above cancels a call")
      .check()
  }

  @Test("A closure's request with two bodies is refused")
  func twoBodies() async throws {
    let transport = ClosureTransport { .status(200, to: $0) }
    var request = try request("PUT")
    request.httpBody = Data("a".utf8)
    let pieces = TestSubscriber<TransferEvent, any Error>()
    transport.events(for: request, body: .data(Data("b".utf8))).receive(subscriber: pieces)
    #expect((pieces.failure as? RESTError)?.kind == .invalidRequest)
  }
}
