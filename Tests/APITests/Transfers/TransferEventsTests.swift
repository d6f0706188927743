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

@Suite("An exchange in pieces, on real sockets", .timeLimit(.minutes(10)))
struct TransferEventsTests {
  static let body = patternedBody(3 << 20)

  private func api(_ server: MockServer, _ kind: TransportKind) throws -> TestAPI {
    TestAPI(baseURL: server.baseURL, transport: try kind.make())
  }

  @Test("A large body arrives whole, in many chunks", arguments: TransportKind.allCases)
  func large(kind: TransportKind) async throws {
    let server = try MockServer { _ in MockResponse(status: 201, body: Self.body) }
    defer { server.stop() }
    let received = try await api(server, kind).events(endpoint: "a").received()
    #expect(received.failure == nil)
    #expect(received.heads.map(\.statusCode) == [201])
    #expect(received.heads.first?.headers["Content-Length"] == "\(Self.body.count)")
    #expect(received.chunks.count > 10)
    #expect(received.data == Self.body)
    #expect(received.sent.isEmpty)
  }

  @Test(
    "A body over the limit on whole bodies may arrive in pieces", arguments: TransportKind.allCases)
  func beyondLimit(kind: TransportKind) async throws {
    let server = try MockServer { _ in MockResponse(status: 200, body: Self.body) }
    defer { server.stop() }
    var limits = TransportLimits()
    limits.bodyBytes = 1_000
    limits.errorBodyBytes = 1_000
    let api = TestAPI(
      baseURL: server.baseURL, transport: try kind.make(limits: limits))
    #expect(await api.events(endpoint: "a").received().data == Self.body)
  }

  @Test("Nothing is delivered without demand", arguments: TransportKind.allCases)
  func demand(kind: TransportKind) async throws {
    let server = try MockServer { _ in MockResponse(status: 200, body: Self.body) }
    defer { server.stop() }
    let subscriber = TestSubscriber<TransferEvent, any Error>(demand: .none)
    try api(server, kind).events(endpoint: "a").receive(subscriber: subscriber)
    // By the time that another call has come and gone, pieces of this one have been there for long.
    let other = try MockServer { _ in .text("ok") }
    defer { other.stop() }
    _ = try await server.received(1)
    for _ in 0..<5 { _ = try await api(other, kind).get(endpoint: "b").value }
    #expect(subscriber.values.isEmpty)
    subscriber.request(.max(2))
    #expect(subscriber.values.count <= 2)
    subscriber.cancel()
    #expect(try await server.connectionClosed(0) == .client)
    #expect(subscriber.completions.isEmpty)
    #expect(subscriber.unaskedCount == 0)
  }

  @Test("With a demand of one at a time, the whole body arrives", arguments: TransportKind.allCases)
  func oneByOne(kind: TransportKind) async throws {
    let server = try MockServer { _ in MockResponse(status: 200, body: Self.body) }
    defer { server.stop() }
    let data = Mutex(Data())
    let whole = try await withCheckedThrowingContinuation { continuation in
      do {
        let subscriber = TestSubscriber<TransferEvent, any Error>(demand: .max(1)) { _, event in
          if case .chunk(let chunk) = event { data.withLock { $0 += chunk } }
          return .max(1)
        }
        try api(server, kind).events(endpoint: "a")
          .handleEvents(receiveCompletion: { _ in
            continuation.resume(returning: data.withLock { $0 })
          })
          .receive(subscriber: subscriber)
      } catch {
        continuation.resume(throwing: error)
      }
    }
    #expect(whole == Self.body)
  }

  @Test(
    "A truncated body ends in a failure, after the received pieces",
    arguments: TransportKind.allCases)
  func cut(kind: TransportKind) async throws {
    let server = try MockServer { _ in
      MockResponse(status: 200, body: Self.body, delivery: .cut(afterBytes: 100_000))
    }
    defer { server.stop() }
    let received = try await api(server, kind).events(endpoint: "a").received()
    #expect(received.heads.count == 1)
    #expect(received.data == Self.body.prefix(received.data.count))
    #expect(received.error?.kind == .transport(.bodyCut))
  }

  @Test("A refused connection fails before any piece", arguments: TransportKind.allCases)
  func refused(kind: TransportKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    let api = try api(server, kind)
    server.stop()
    let received = await api.events(endpoint: "a").received()
    #expect(received.heads.isEmpty)
    #expect(received.error?.kind == .transport(.connectionRefused))
  }

  @Test("A cancel in the middle closes the connection", arguments: TransportKind.allCases)
  func cancel(kind: TransportKind) async throws {
    let gate = MockGate()
    let server = try MockServer { _ in
      MockResponse(status: 200, body: Self.body, delivery: .paused(afterBytes: 10, until: gate))
    }
    defer { server.stop() }
    for try await event in try api(server, kind).events(endpoint: "a").values {
      if case .chunk = event { break }
    }
    #expect(try await server.connectionClosed(0) == .client)
  }

  @Test(
    "A subscriber may start a call while it receives a piece", arguments: TransportKind.allCases)
  func nested(kind: TransportKind) async throws {
    let server = try MockServer { .text($0.path) }
    defer { server.stop() }
    let api = try api(server, kind)
    let inner = try await api.events(endpoint: "outer")
      .flatMap { event -> AnyPublisher<RESTResponse, any Error> in
        guard case .head = event else { return Empty().eraseToAnyPublisher() }
        return api.get(endpoint: "inner")
      }
      .value
    #expect(inner.data == Data("/inner".utf8))
  }

  @Test("Redirects are followed, and send no event", arguments: TransportKind.allCases)
  func redirect(kind: TransportKind) async throws {
    let server = try MockServer { request in
      guard request.path == "/a" else { return .text("there") }
      return MockResponse(
        status: 302, headers: [("Location", "/b")], body: Data("moved".utf8))
    }
    defer { server.stop() }
    let received = try await api(server, kind).events(endpoint: "a").received()
    #expect(received.heads.map(\.statusCode) == [200])
    #expect(received.heads.first?.url.path == "/b")
    #expect(received.data == Data("there".utf8))
  }

  @Test(
    "A redirect that is not followed is delivered with its head", arguments: TransportKind.allCases)
  func keptRedirect(kind: TransportKind) async throws {
    let server = try MockServer { _ in
      MockResponse(status: 302, headers: [("Location", "/b")])
    }
    defer { server.stop() }
    var api = try api(server, kind)
    api.redirects = .never
    let received = await api.events(endpoint: "a").received()
    #expect(received.heads.map(\.statusCode) == [302])
    #expect(received.failure == nil)
  }

  @Test("A challenge is a response like any other", arguments: TransportKind.allCases)
  func challenge(kind: TransportKind) async throws {
    let server = try MockServer { _ in
      MockResponse(
        status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")],
        body: Data("who?".utf8))
    }
    defer { server.stop() }
    let received = try await api(server, kind).events(endpoint: "a").received()
    #expect(received.heads.map(\.statusCode) == [401])
    #expect(received.data == Data("who?".utf8))
  }

  @Test("A server that falls silent is abandoned", arguments: TransportKind.allCases)
  func silence(kind: TransportKind) async throws {
    let gate = MockGate()
    let server = try MockServer { request in
      request.path == "/hang"
        ? MockResponse(status: 200, delivery: .hang)
        : MockResponse(status: 200, body: Self.body, delivery: .paused(afterBytes: 10, until: gate))
    }
    defer { server.stop() }
    let api = try api(server, kind)
    for path in ["hang", "stall"] {
      let received = await api.events(endpoint: path) { request in
        var request = request
        request.timeoutInterval = 0.05
        return request
      }.received()
      #expect(received.error?.kind == .transport(.timedOut))
      #expect(Self.body.prefix(10).starts(with: received.data))
    }
  }

  #if os(Linux)
    @Test("The timeout counts after the response's head, even while the request's body waits")
    func silenceBehindHead() async throws {
      let received = try await received(
        from: MockResponse(
          status: 200, headers: [("Content-Length", "10")], body: Data("early".utf8)))
      #expect(received.heads.map(\.statusCode) == [200])
      #expect(received.data == Data("early".utf8))
      #expect(received.error?.kind == .transport(.timedOut))
    }

    @Test("The timeout ends a call with its complete response if the request's body still waits")
    func completeBehindHead() async throws {
      let received = try await received(from: .text("early"))
      #expect(received.heads.map(\.statusCode) == [200])
      #expect(received.data == Data("early".utf8))
      #expect(received.error == nil)
    }

    /// Sends a request whose body never ends, and that the server answers at its head.
    private func received(from response: MockResponse) async throws -> Received {
      let server = try MockServer(early: { _ in response }) { _ in .text("late") }
      defer { server.stop() }
      let api = TestAPI(baseURL: server.baseURL, transport: try CurlTransport())
      let body = PassthroughSubject<Data, any Error>()
      return await api.events(.post, endpoint: "a", body: .chunks(body)) { request in
        var request = request
        request.timeoutInterval = 0.5
        return request
      }.received()
    }
  #endif
}
