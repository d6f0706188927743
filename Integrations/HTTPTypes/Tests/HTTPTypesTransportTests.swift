import Foundation
import HTTPTypes
import RESTKit
import RESTKitHTTPTypes
import RESTKitTesting
import Streams
import StreamsTesting
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A swift-http-types client as a transport", .timeLimit(.minutes(5)))
struct HTTPTypesTransportTests {
  private func request(_ method: String = "GET") throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: "https://shop.example.com/v1/orders")))
    request.httpMethod = method
    return request
  }

  @Test("Over a transport called with HTTPRequest, it keeps the transport contract")
  func conformance() async throws {
    // Its own limits are those that count.
    var boundless = TransportLimits()
    (boundless.bodyBytes, boundless.errorBodyBytes) = (.max, .max)
    let kit = TransportConformance("HTTPTypesTransport") { [boundless] limits in
      #if os(Linux)
        let inner = try CurlTransport(limits: boundless)
      #else
        let inner = URLSessionTransport(limits: boundless)
      #endif
      return HTTPTypesTransport(limits: limits) { try await inner.execute($0, body: $1) }
    }
    let report = try await kit.check()
    #expect(report.kept == TransportRule.allCases)
  }

  private struct Refusal: Error {}

  /// Where clients wait that no cancel reaches.
  private final class Waiting: Sendable {
    private let clients = Mutex<[CheckedContinuation<Void, Never>]>([])

    func wait() async {
      await withCheckedContinuation { client in clients.withLock { $0.append(client) } }
    }

    func resume() {
      for client in clients.withLock({ $0 }) { client.resume() }
    }
  }

  private static func head(_ status: HTTPResponse.Status) -> HTTPResponse {
    HTTPResponse(status: status)
  }

  @Test("A client that gives up its reading of the body fails with its own error")
  func givenUp() async throws {
    let silent = PassthroughSubject<Data, any Error>()
    let transport = HTTPTypesTransport { _, body in
      let reading = Task {
        guard let body else { return }
        for try await _ in body {}
      }
      reading.cancel()
      _ = await reading.result
      throw Refusal()
    }
    let events = transport.events(
      for: try request("POST"), body: .chunks(silent.eraseToAnyPublisher()))
    await #expect(throws: Refusal.self) {
      for try await _ in events.values {}
    }
  }

  @Test("The client receives the request, and its response becomes a RESTKit response")
  func whole() async throws {
    let transport = HTTPTypesTransport { request, body in
      let text = "\(request.method) \(request.path ?? "") \(body?.length ?? -1)"
      return (Self.head(.created), HTTPMessageBody(Data(text.utf8)))
    }
    var put = try request("PUT")
    put.httpBody = Data("abc".utf8)
    let response = try await transport.response(for: put).value
    #expect(response.statusCode == 201 && response.data == Data("PUT /v1/orders 3".utf8))
    #expect(response.url == put.url)
    #expect(
      try await transport.response(for: request()).value.data == Data("GET /v1/orders -1".utf8))
  }

  @Test("Chunks are taken from the client only on demand")
  func demand() async throws {
    let taken = AsyncStream<Int>.makeStream()
    let transport = HTTPTypesTransport { _, _ in
      let chunks = AsyncStream<Data> {
        taken.continuation.yield(1)
        return Data("a".utf8)
      }
      return (Self.head(.ok), HTTPMessageBody(chunks))
    }
    let (events, event) = AsyncStream.makeStream(of: TransferEvent.self)
    let call = TestSubscriber<TransferEvent, any Error>(demand: .none) { _, input in
      event.yield(input)
      return .none
    }
    transport.events(for: try request()).receive(subscriber: call)
    var arrived = events.makeAsyncIterator()
    for count in 1...3 {
      call.request(.max(1))
      _ = await arrived.next()
      #expect(call.values.count == count)
    }
    call.cancel()
    taken.continuation.finish()
    #expect(await taken.stream.reduce(0, +) == 2)
  }

  @Test("A TransportError of the client becomes a RESTError, and another error stays unchanged")
  func errors() async throws {
    let faulty = HTTPTypesTransport { _, _ in
      throw TransportError(kind: .connectionRefused, mayHaveBeenProcessed: false)
    }
    let own = HTTPTypesTransport { _, _ in throw Refusal() }
    let error = await #expect(throws: RESTError.self) {
      try await faulty.response(for: request()).value
    }
    #expect(error?.kind == .transport(.connectionRefused))
    await #expect(throws: Refusal.self) { try await own.response(for: request()).value }
    await #expect(throws: Refusal.self) {
      for try await _ in own.events(for: try request()).values {}
    }
  }

  @Test("A body that fails after the head or exceeds the limit fails the call")
  func badBodies() async throws {
    let failing = HTTPTypesTransport { _, _ in
      let chunks = AsyncThrowingStream<Data, any Error> { throw Refusal() }
      return (Self.head(.ok), HTTPMessageBody(chunks))
    }
    await #expect(throws: Refusal.self) { try await failing.response(for: request()).value }
    var limits = TransportLimits()
    limits.bodyBytes = 10
    let endless = HTTPTypesTransport(limits: limits) { _, _ in
      (Self.head(.ok), HTTPMessageBody(AsyncStream { Data("abc".utf8) }))
    }
    let error = await #expect(throws: RESTError.self) {
      try await endless.response(for: request()).value
    }
    #expect(error?.kind == .transport(.limitExceeded(.bodyBytes)))
  }

  @Test("A coding that the client has decoded is not decoded again")
  func codings() async throws {
    let transport = HTTPTypesTransport { _, _ in
      (
        HTTPResponse(status: .ok, headerFields: [.contentEncoding: "gzip"]),
        HTTPMessageBody(Data("plain".utf8))
      )
    }
    let response = try await transport.response(for: request()).value
    #expect(response.data == Data("plain".utf8))
    #expect(response.headers["Content-Encoding"] == "gzip")
  }

  @Test("A HEAD, a 204 and a 304 have no body, whatever body the client returns")
  func bodiless() async throws {
    for (method, status) in [("HEAD", 200), ("GET", 204), ("GET", 304)] {
      let transport = HTTPTypesTransport { _, _ in
        (HTTPResponse(status: .init(code: status)), HTTPMessageBody(Data("x".utf8)))
      }
      #expect(try await transport.response(for: request(method)).value.data.isEmpty)
    }
  }

  // MARK: Time

  @Test("A client that ignores cancels times out, whole and in pieces")
  func deafClient() async throws {
    let waiting = Waiting()
    defer { waiting.resume() }
    let transport = HTTPTypesTransport { _, _ in
      await waiting.wait()
      return (Self.head(.ok), nil)
    }
    var limited = try request()
    limited.timeoutInterval = 0.05
    let error = await #expect(throws: RESTError.self) {
      try await transport.response(for: limited).value
    }
    #expect(error?.kind == .transport(.timedOut))
    let silence = await #expect(throws: RESTError.self) {
      for try await _ in transport.events(for: limited).values {}
    }
    #expect(silence?.kind == .transport(.timedOut))
  }
}
