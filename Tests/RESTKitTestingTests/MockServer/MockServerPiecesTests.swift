import Foundation
import RESTKitTesting
import Testing

@Suite("MockServer delivers bodies in pieces, and responds early", .timeLimit(.minutes(10)))
struct MockServerPiecesTests {
  private let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

  private func client(
    _ pieces: [MockPiece], end: BodyEnd = .complete, length: Int? = nil
  ) throws -> (MockServer, RawClient) {
    let server = try MockServer { _ in
      MockResponse(
        status: 200, headers: length.map { [("Content-Length", "\($0)")] } ?? [],
        delivery: .pieces(pieces, end: end))
    }
    return (server, try RawClient(to: server.port))
  }

  // MARK: Pieces

  @Test func `Pieces are chunks, empty ones are omitted, and the connection stays open`() throws {
    let (server, client) = try client(["ab", "", MockPiece(Data("cde".utf8))])
    for _ in 1...2 {
      try client.send(request)
      #expect(try client.readHead().headers.map(\.name) == ["Transfer-Encoding"])
      let framed = "2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n"
      #expect(try client.readExactly(framed.utf8.count) == Data(framed.utf8))
    }
    #expect(server.connectionCount == 1)
  }

  @Test func `With a length, pieces are sent unchanged, and the connection stays open`() throws {
    let (server, client) = try client(["ab", "cd"], length: 4)
    for _ in 1...2 { #expect(try client.get("/").text == "abcd") }
    #expect(server.connectionCount == 1)
  }

  @Test func `A gate holds a piece back after the head and the earlier pieces`() throws {
    let gates = [MockGate(), MockGate()]
    let (server, client) = try client(
      [.when(gates[0], "a"), "b", .when(gates[1], Data("c".utf8))], length: 3)
    try client.send(request)
    #expect(try client.readHead().statusLine == "HTTP/1.1 200 OK")
    #expect(!client.hasSomethingToRead)
    gates[0].open()
    #expect(try client.readExactly(2) == Data("ab".utf8))
    #expect(!client.hasSomethingToRead)
    gates[1].open()
    #expect(try client.readExactly(1) == Data("c".utf8))
    server.stop()
  }

  @Test func `A piece waits for its time, even if the client sends data meanwhile`() throws {
    let (server, client) = try client(
      ["a", .after(.milliseconds(30), "b"), .after(.milliseconds(1), Data("c".utf8))], length: 3)
    let begin = ContinuousClock.now
    try client.send(request + request)
    #expect(try client.readResponse().text == "abc")
    #expect(ContinuousClock.now - begin >= .milliseconds(31))
    #expect(try client.readResponse().text == "abc")
    server.stop()
  }

  @Test(arguments: [nil, 4, 9] as [Int?])
  func `A cut or a reset follows the pieces`(length: Int?) throws {
    for end in [BodyEnd.cut, .reset] {
      let (server, client) = try client(["ab", "cd"], end: end, length: length)
      try client.send(request)
      _ = try client.readHead()
      let (text, ending) = try client.readToEnd()
      #expect(ending == (end == .cut ? .closed : .reset))
      if end == .cut { #expect(text == (length == nil ? "2\r\nab\r\n2\r\ncd\r\n" : "abcd")) }
      server.stop()
    }
  }

  @Test func `A complete end with a length other than the head's closes`() throws {
    for length in [3, 9] {
      let (server, client) = try client(["ab", "cd"], length: length)
      try client.send(request)
      _ = try client.readHead()
      #expect(try client.readToEnd() == ("abcd", .closed))
      server.stop()
    }
  }

  @Test func `Silence lasts until the client closes or the server stops`() async throws {
    let (server, client) = try client(["ab"], end: .silence)
    let other = try RawClient(to: server.port)
    for client in [client, other] {
      try client.send(request)
      _ = try client.readHead()
      #expect(try client.readExactly(7) == Data("2\r\nab\r\n".utf8))
      #expect(!client.hasSomethingToRead)
    }
    client.hangUp()
    #expect(try await server.connectionClosed(0) == .client)
    server.stop()
    #expect(try other.readToEnd().text == "")
  }

  @Test func `A wait notices that the client closed`() async throws {
    for piece in [MockPiece.after(.seconds(86_400), "a"), .when(MockGate(), "a")] {
      let (server, client) = try client([piece])
      try client.send(request)
      _ = try client.readHead()
      client.hangUp()
      #expect(try await server.connectionClosed(0) == .client)
      server.stop()
    }
  }

  @Test func `The response to HEAD is only a head, with any end`() throws {
    for end in BodyEnd.allCases {
      let (server, client) = try client(["ab"], end: end)
      let head = "HEAD / HTTP/1.1\r\nHost: h\r\n"
      try client.send("\(head)\r\n\(head)Connection: close\r\n\r\n")
      #expect(try client.readHead().values(for: "Transfer-Encoding") == ["chunked"])
      _ = try client.readHead()
      #expect(try client.readToEnd() == ("", .closed))
      server.stop()
    }
  }

  // MARK: Early responses

  private let upload = "POST /early HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n"

  private func earlyServer(_ response: MockResponse) throws -> MockServer {
    try MockServer(early: { $0.path == "/early" ? response : nil }) {
      .text("late \($0.body.count)")
    }
  }

  @Test func `An early response precedes the body, which is read after it`() async throws {
    let server = try earlyServer(.text("early", status: 413))
    let client = try RawClient(to: server.port)
    try client.send(upload + "\r\nabc")
    let response = try client.readResponse()
    #expect(response.statusLine == "HTTP/1.1 413 Content Too Large" && response.text == "early")
    #expect(server.requests.isEmpty)
    try client.send("defPOST /late HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nxy")
    #expect(try client.readResponse().text == "late 2")
    #expect(server.requests.map(\.body) == [Data("abcdef".utf8), Data("xy".utf8)])
    #expect(!client.hasSomethingToRead)
  }

  @Test func `The early handler sees only the head, and only of requests with a body`() throws {
    let server = try MockServer(early: { request in
      .text("early \(request.method) \(request.index) \(request.body.count)")
    }) { _ in .text("late") }
    let client = try RawClient(to: server.port)
    #expect(try client.get("/").text == "late")
    try client.send(upload + "\r\nabcdef")
    #expect(try client.readResponse().text == "early POST 1 0")
    try client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
    #expect(try client.readResponse().text == "early POST 2 0")
    try client.send("0\r\n\r\n")
    #expect(try client.get("/").text == "late")
  }

  @Test func `A client that awaits 100 Continue receives the early response instead`() throws {
    let server = try earlyServer(.text("early", status: 417))
    let client = try RawClient(to: server.port)
    try client.send(upload + "Expect: 100-continue\r\n\r\n")
    #expect(try client.readResponse().text == "early")
    #expect(!client.hasSomethingToRead)
    try client.send("abcdef")
    #expect(try client.get("/").text == "late 0")
    try client.send(
      "POST /late HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n")
    #expect(try client.readHead().statusLine == "HTTP/1.1 100 Continue")
    try client.send("x")
    #expect(try client.readResponse().text == "late 1")
  }

  @Test func `An early response that closes arrives even if the client still sends`() async throws {
    for delivery in [MockResponse.Delivery.whole, .cut(afterBytes: 5)] {
      let server = try earlyServer(
        MockResponse(
          status: 413, headers: [("Connection", "close")], body: Data("early".utf8),
          delivery: delivery))
      let client = try RawClient(to: server.port)
      try client.send("POST /early HTTP/1.1\r\nHost: h\r\nContent-Length: 16777216\r\n\r\n")
      try client.send(Data(count: 8 << 20))
      _ = try client.readHead()
      #expect(try client.readToEnd() == ("early", .closed))
      client.hangUp()
      #expect(try await server.connectionClosed(0) == .server)
      #expect(server.requests.isEmpty)
    }
  }

  @Test func `An early reset resets the connection`() async throws {
    let server = try earlyServer(MockResponse(status: 200, delivery: .pieces(["a"], end: .reset)))
    let client = try RawClient(to: server.port)
    try client.send(upload + "\r\nabc")
    #expect(try client.readToEnd().ending == .reset)
    #expect(try await server.connectionClosed(0) == .server)
  }

  @Test func `A gate holds an early response open while the body arrives`() async throws {
    let gate = MockGate()
    let server = try earlyServer(
      MockResponse(status: 200, delivery: .pieces(["a", .when(gate, "b")])))
    let client = try RawClient(to: server.port)
    try client.send(upload + "\r\nabc")
    _ = try client.readHead()
    #expect(try client.readExactly(6) == Data("1\r\na\r\n".utf8))
    try client.send("def")
    gate.open()
    #expect(try client.readExactly(11) == Data("1\r\nb\r\n0\r\n\r\n".utf8))
    try await server.received(1)
    #expect(server.requests.map(\.body) == [Data("abcdef".utf8)])
  }
}
