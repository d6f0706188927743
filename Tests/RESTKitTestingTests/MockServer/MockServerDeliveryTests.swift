import Foundation
import RESTKitTesting
import Testing

@Suite("MockServer delivers and fails as scripted", .timeLimit(.minutes(10)))
struct MockServerDeliveryTests {
  private let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

  private func client(
    for delivery: MockResponse.Delivery, gate: MockGate? = nil
  ) throws -> (MockServer, RawClient) {
    let server = try MockServer { _ in
      MockResponse(status: 200, body: Data("0123456789".utf8), delivery: delivery, gate: gate)
    }
    return (server, try RawClient(to: server.port))
  }

  @Test(arguments: [(0, ""), (4, "0123"), (10, "0123456789"), (99, "0123456789"), (-1, "")])
  func `A cut body's head has the length of the whole body`(count: Int, sent: String) throws {
    let (server, client) = try client(for: .cut(afterBytes: count))
    try client.send(request)
    #expect(try client.readHead().values(for: "Content-Length") == ["10"])
    #expect(try client.readToEnd() == (sent, .closed))
    server.stop()
  }

  @Test func `A body larger than the system's buffers arrives whole at a client that reads late`()
    async throws
  {
    let body = Data((0..<24 << 20).map { UInt8(truncatingIfNeeded: $0 >> 10) })
    let server = try MockServer { _ in MockResponse(status: 200, body: body) }
    let client = try RawClient(to: server.port)
    try client.send(request)
    try await server.received(1)
    #expect(try client.readResponse().body == body)
  }

  @Test func `Chunks are framed, empty ones are omitted, and the connection stays open`() throws {
    let chunks = [Data("ab".utf8), Data(), Data("0123456789abcdef".utf8)]
    let (server, client) = try client(for: .chunked(chunks))
    for _ in 1...2 {
      try client.send(request)
      let head = try client.readHead()
      #expect(head.headers.map(\.name) == ["Transfer-Encoding"])
      #expect(head.values(for: "Transfer-Encoding") == ["chunked"])
      let framed = "2\r\nab\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n"
      #expect(try client.readExactly(framed.utf8.count) == Data(framed.utf8))
    }
    #expect(server.connectionCount == 1)
  }

  @Test func `The chunked response to HEAD is only a head`() throws {
    let (server, client) = try client(for: .chunked([Data("ab".utf8)]))
    try client.send("HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    #expect(try client.readHead().values(for: "Transfer-Encoding") == ["chunked"])
    #expect(try client.readToEnd().text == "")
    server.stop()
  }

  @Test func `Cut chunks have no last chunk`() throws {
    let (server, client) = try client(for: .chunkedCut([Data("abc".utf8)]))
    try client.send(request)
    _ = try client.readHead()
    #expect(try client.readToEnd() == ("3\r\nabc\r\n", .closed))
    server.stop()
  }

  @Test func `Raw bytes are sent unchanged`() throws {
    let (server, client) = try client(for: .raw(Data("HTTP/1.1 2\nX\u{0}".utf8)))
    try client.send(request)
    #expect(try client.readToEnd() == ("HTTP/1.1 2\nX\u{0}", .closed))
    server.stop()
  }

  @Test func `A close before the response sends no bytes`() async throws {
    let (server, client) = try client(for: .closeBeforeResponse)
    try client.send(request)
    #expect(try client.readToEnd() == ("", .closed))
    #expect(try await server.connectionClosed(0) == .server)
  }

  @Test func `A reset before the response resets the connection`() async throws {
    let (server, client) = try client(for: .resetBeforeResponse)
    try client.send(request)
    #expect(try client.readToEnd() == ("", .reset))
    #expect(try await server.connectionClosed(0) == .server)
  }

  @Test func `Raw bytes may end with a reset`() async throws {
    let (server, client) = try client(for: .rawThenReset(Data("HTTP/1.1 200".utf8)))
    try client.send(request)
    #expect(try client.readToEnd().ending == .reset)
    #expect(try await server.connectionClosed(0) == .server)
  }

  @Test func `All dripped bytes arrive, and then the connection closes`() throws {
    let bytes = Data("HTTP/1.1 200 OK\r\n\r\nx".utf8)
    let (server, client) = try client(for: .dripped(bytes, every: .milliseconds(1)))
    try client.send(request)
    #expect(try client.readToEnd() == (String(decoding: bytes, as: UTF8.self), .closed))
    server.stop()
  }

  @Test func `A drip ends when the client closes or the server stops`() async throws {
    let drip = MockResponse.Delivery.dripped(Data("ab".utf8), every: .seconds(86_400))
    let (server, client) = try client(for: drip)
    let other = try RawClient(to: server.port)
    try client.send(request)
    try other.send(request)
    try await server.received(2)
    client.hangUp()
    #expect(try await server.connectionClosed(0) == .client)
    server.stop()
    #expect(try other.readToEnd().text == "")
  }

  @Test func `An endless response continues until the client closes`() async throws {
    let (server, client) = try client(
      for: .endless(Data("head ".utf8), repeating: Data("again ".utf8)))
    try client.send(request)
    let text = "head " + String(repeating: "again ", count: 1_000)
    #expect(try client.readExactly(text.utf8.count) == Data(text.utf8))
    client.hangUp()
    #expect(try await server.connectionClosed(0) == .client)
  }

  @Test func `An endless response ends when the server stops`() async throws {
    for more in ["", "again "] {
      let (server, client) = try client(for: .endless(Data("h".utf8), repeating: Data(more.utf8)))
      try client.send(request)
      #expect(try client.readExactly(1) == Data("h".utf8))
      server.stop()
      try await server.connectionClosed(0)
    }
  }

  @Test func `A hanging response ends when the client closes`() async throws {
    let (server, client) = try client(for: .hang)
    try client.send(request)
    try await server.received(1)
    #expect(!client.hasSomethingToRead)
    client.hangUp()
    #expect(try await server.connectionClosed(0) == .client)
  }

  @Test func `A hanging response ends when the client resets, even with more input`() async throws {
    let (server, client) = try client(for: .hang)
    try client.send(request + request)
    try await server.received(1)
    client.reset()
    #expect(try await server.connectionClosed(0) == .client)
    #expect(server.requests.count == 1)
  }

  @Test func `A hanging response ends when the server stops`() async throws {
    let (server, client) = try client(for: .hang)
    try client.send(request)
    try await server.received(1)
    server.stop()
    #expect(try client.readToEnd().text == "")
    #expect(try await server.connectionClosed(0) == .server)
  }

  @Test func `A gate holds responses back until it opens`() async throws {
    let gate = MockGate()
    let (server, first) = try client(for: .whole, gate: gate)
    let second = try RawClient(to: server.port)
    try first.send(request)
    try second.send(request)
    #expect(try await server.received(2).count == 2)
    #expect(!gate.isOpen)
    #expect(!first.hasSomethingToRead)
    #expect(!second.hasSomethingToRead)
    gate.open()
    gate.open()
    #expect(gate.isOpen)
    #expect(try first.readResponse().text == "0123456789")
    #expect(try second.readResponse().text == "0123456789")
    #expect(try first.get("/").text == "0123456789")
  }

  @Test func `A held response notices that the client closed`() async throws {
    let gate = MockGate()
    let (server, client) = try client(for: .whole, gate: gate)
    try client.send(request)
    try await server.received(1)
    client.hangUp()
    #expect(try await server.connectionClosed(0) == .client)
    #expect(!gate.isOpen)
  }

  @Test func `A request during a held response is read at once and answered later`() async throws {
    let gate = MockGate()
    let server = try MockServer {
      $0.path == "/held" ? .text("held", gate: gate) : .text("\($0.body.count)")
    }
    let client = try RawClient(to: server.port)
    try client.send("GET /held HTTP/1.1\r\nHost: h\r\n\r\n")
    try await server.received(1)
    // More than the system's buffers hold: it goes out only if the server reads meanwhile.
    let body = Data(count: 16 << 20)
    try client.send("POST /next HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.count)\r\n\r\n")
    try client.send(body)
    #expect(!client.hasSomethingToRead)
    gate.open()
    #expect(try client.readResponse().text == "held")
    #expect(try client.readResponse().text == "\(body.count)")
  }

  @Test func `A gate takes effect before any fault`() async throws {
    let gate = MockGate()
    let (server, client) = try client(for: .closeBeforeResponse, gate: gate)
    try client.send(request)
    try await server.received(1)
    #expect(!client.hasSomethingToRead)
    gate.open()
    #expect(try client.readToEnd() == ("", .closed))
  }

  @Test func `A paused body stops after its first bytes, and the gate continues it`() throws {
    let gate = MockGate()
    let (server, client) = try client(for: .paused(afterBytes: 3, until: gate))
    try client.send(request)
    #expect(try client.readHead().values(for: "Content-Length") == ["10"])
    #expect(try client.readExactly(3) == Data("012".utf8))
    #expect(!client.hasSomethingToRead)
    gate.open()
    #expect(try client.readExactly(7) == Data("3456789".utf8))
    #expect(try client.get("/").text == "0123456789")
    server.stop()
  }

  @Test func `A paused body notices that the client closed`() async throws {
    let (server, client) = try client(for: .paused(afterBytes: 3, until: MockGate()))
    try client.send(request)
    _ = try client.readHead()
    _ = try client.readExactly(3)
    client.hangUp()
    #expect(try await server.connectionClosed(0) == .client)
  }
}
