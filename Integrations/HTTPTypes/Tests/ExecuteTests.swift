import Foundation
import HTTPTypes
import RESTKit
import RESTKitHTTPTypes
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("Calling a transport with an HTTPRequest", .timeLimit(.minutes(5)))
struct ExecuteTests {
  private let transport: any Transport

  init() throws {
    #if os(Linux)
      transport = try CurlTransport()
    #else
      transport = URLSessionTransport()
    #endif
  }

  private func request(
    _ method: HTTPRequest.Method, _ server: MockServer, _ path: String = "/"
  ) -> HTTPRequest {
    HTTPRequest(
      method: method, scheme: "http", authority: "127.0.0.1:\(server.port)", path: path,
      headerFields: [.accept: "text/plain"])
  }

  @Test("The request arrives, and the response has its field lines and its body")
  func exchange() async throws {
    let server = try MockServer { request in
      MockResponse(
        status: 404, headers: [("X-Two", "1"), ("X-Two", "2")],
        body: Data("\(request.method) \(request.target)".utf8))
    }
    defer { server.stop() }
    let (response, body) = try await transport.execute(request(.get, server, "/a?b=c"))
    #expect(response.status == .notFound)
    #expect(response.headerFields[values: try #require(HTTPField.Name("X-Two"))] == ["1", "2"])
    #expect(try await body.collect() == Data("GET /a?b=c".utf8))
    #expect(server.requests.first?.values(for: "Accept") == ["text/plain"])
  }

  @Test("A body with a length is sent with it, and a body without one in chunks")
  func bodies() async throws {
    let server = try MockServer { MockResponse(status: 200, body: $0.body) }
    defer { server.stop() }
    let chunks = ["ab", "", "cd"].publisher.map { Data($0.utf8) }.values
    for body in [HTTPMessageBody(Data("abcd".utf8)), HTTPMessageBody(chunks)] {
      let (_, echo) = try await transport.execute(request(.put, server), body: body)
      #expect(try await echo.collect() == Data("abcd".utf8))
    }
    #expect(server.requests.map { $0.value(for: "Content-Length") } == ["4", nil])
  }

  @Test("A body of another length fails, and so does a body that is sent twice")
  func bodyFailures() async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let put = request(.put, server)
    let chunks = ["ab"].publisher.map { Data($0.utf8) }.values
    let error = await #expect(throws: RESTError.self) {
      try await transport.execute(put, body: HTTPMessageBody(chunks, length: 3))
    }
    #expect(error?.kind == .transport(.sendFailed))
    let once = HTTPMessageBody(chunks)
    _ = try await transport.execute(put, body: once)
    await #expect(throws: RESTError.self) { try await transport.execute(put, body: once) }
    let replayable = HTTPMessageBody(chunks, length: 2, isReplayable: true)
    for _ in 0..<2 { _ = try await transport.execute(put, body: replayable) }
  }

  @Test("The response arrives before its body, and all iterators share the chunks")
  func pieces() async throws {
    let gate = MockGate()
    let server = try MockServer { _ in
      MockResponse(status: 200, delivery: .pieces(["a", .when(gate, "b")]))
    }
    defer { server.stop() }
    let (response, body) = try await transport.execute(request(.get, server))
    #expect(response.status == .ok && !gate.isOpen)
    var chunks = body.makeAsyncIterator()
    #expect(try await chunks.next() == Data("a".utf8))
    gate.open()
    #expect(try await body.collect() == Data("b".utf8))
    #expect(try await chunks.next() == nil)
  }

  @Test("A released body and a cancelled task close the connection")
  func cancel() async throws {
    let server = try MockServer { _ in
      MockResponse(
        status: 200, body: Data("abcd".utf8), delivery: .paused(afterBytes: 1, until: MockGate()))
    }
    defer { server.stop() }
    let first = request(.get, server)
    _ = try await transport.execute(first)
    #expect(try await server.connectionClosed(0) == .client)
    let (begins, begin) = AsyncStream.makeStream(of: Void.self)
    let task = Task { [transport] in
      let (_, body) = try await transport.execute(first)
      var chunks = body.makeAsyncIterator()
      _ = try await chunks.next()
      begin.yield()
      return try await chunks.next()
    }
    for await _ in begins { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await server.connectionClosed(1) == .client)
  }

  @Test("A call that is cancelled before its head throws CancellationError")
  func cancelBeforeHead() async throws {
    let server = try MockServer { _ in MockResponse(status: 200, delivery: .hang) }
    defer { server.stop() }
    let get = request(.get, server)
    let task = Task { [transport] in try await transport.execute(get).0.status }
    try await server.received(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("A silent server causes a timeout, and a response over a limit is refused")
  func limits() async throws {
    let server = try MockServer { request in
      request.path == "/hang"
        ? MockResponse(status: 200, delivery: .hang)
        : MockResponse(status: 200, body: Data(count: 11))
    }
    defer { server.stop() }
    let error = await #expect(throws: RESTError.self) {
      try await transport.execute(request(.get, server, "/hang"), timeout: .milliseconds(50))
    }
    #expect(error?.kind == .transport(.timedOut))
    let (_, body) = try await transport.execute(request(.get, server))
    let fault = await #expect(throws: TransportError.self) { try await body.collect(upTo: 10) }
    #expect(fault?.kind == .limitExceeded(.bodyBytes))
  }

  @Test("A failed conversion and a request that cannot be sent have their own errors")
  func refusals() async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    await #expect(throws: HTTPTypesError.self) {
      try await transport.execute(request(.connect, server))
    }
    var framed = request(.post, server)
    framed.headerFields[.contentLength] = "3"
    let error = await #expect(throws: RESTError.self) { try await transport.execute(framed) }
    #expect(error?.kind == .invalidRequest)
    #expect(server.connectionCount == 0)
  }

  @Test("A response without a valid status is refused")
  func invalidResponse() async throws {
    let transport = ClosureTransport { .status(1_000, to: $0) }
    await #expect(throws: HTTPTypesError.self) {
      try await transport.execute(
        HTTPRequest(method: .get, scheme: "http", authority: "a.example", path: "/"))
    }
  }

  @Test("The README's examples call a server in both ways")
  func readme() async throws {
    let server = try MockServer { .text($0.path) }
    defer { server.stop() }
    let authority = "127.0.0.1:\(server.port)"
    #expect(try await item(7, at: authority, over: transport) == "/items/7")
    let api = CatalogAPI(baseURL: server.baseURL) { [transport] in
      try await transport.execute($0, body: $1)
    }
    #expect(try await api.get(endpoint: "items/8").value.data == Data("/items/8".utf8))
  }
}
