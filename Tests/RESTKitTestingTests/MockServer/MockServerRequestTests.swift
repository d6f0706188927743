import Foundation
import RESTKitTesting
import Testing

@Suite("MockServer reads requests", .timeLimit(.minutes(10)))
struct MockServerRequestTests {
  /// A server that answers with the body it got.
  private func echo() throws -> MockServer {
    try MockServer { MockResponse(status: 200, body: $0.body) }
  }

  @Test func `A request has the method, path, query and fields that were sent`() throws {
    let server = try echo()
    let client = try RawClient(to: server.port)
    try client.send("PATCH /a%20b/c?x=%2B&y HTTP/1.1\r\nHost: h\r\nX-One: 1\r\nx-one:  2 \r\n\r\n")
    _ = try client.readResponse()
    let request = try #require(server.requests.first)
    #expect(request.method == "PATCH")
    #expect(request.target == "/a%20b/c?x=%2B&y")
    #expect(request.path == "/a%20b/c")
    #expect(request.query == "x=%2B&y")
    #expect(request.headers.map(\.name) == ["Host", "X-One", "x-one"])
    #expect(request.headers.map(\.value) == ["h", "1", "2"])
    #expect(request.value(for: "X-ONE") == "1")
    #expect(request.values(for: "x-One") == ["1", "2"])
    #expect(request.value(for: "absent") == nil)
    #expect(request.body.isEmpty)
  }

  @Test(arguments: [
    ("/", "/", nil), ("/a?", "/a", ""), ("/a?b?c", "/a", "b?c"), ("*", "*", nil),
    ("http://h:1/p/q?r", "/p/q", "r"), ("http://h", "/", nil), ("http://h?q", "/", "q"),
    ("/to?u=http://h/p", "/to", "u=http://h/p"),
  ])
  func `A target is split into path and query`(target: String, path: String, query: String?) {
    let request = MockRequest(method: "GET", target: target)
    #expect(request.path == path)
    #expect(request.query == query)
  }

  @Test func `A body with a length is read completely`() throws {
    let server = try echo()
    let client = try RawClient(to: server.port)
    let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
    try client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.count)\r\n\r\n")
    try client.send(body)
    #expect(try client.readResponse().body == body)
  }

  @Test func `A chunked body loses its framing, extensions and trailer fields`() throws {
    let server = try echo()
    let client = try RawClient(to: server.port)
    try client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
    try client.send("3\r\nabc\r\nA;name=value\r\n0123456789\r\n0\r\nX-Trailer: t\r\n\r\n")
    #expect(try client.readResponse().text == "abc0123456789")
    #expect(try client.get("/").text == "")
  }

  @Test func `A client that expects 100 Continue receives it before it sends the body`() throws {
    let server = try echo()
    let client = try RawClient(to: server.port)
    try client.send(
      "PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n")
    #expect(try client.readHead().statusLine == "HTTP/1.1 100 Continue")
    try client.send("ok")
    #expect(try client.readResponse().text == "ok")
  }

  @Test func `Without a body to wait for there is no 100 Continue`() throws {
    let server = try echo()
    let client = try RawClient(to: server.port)
    let answer = try client.get("/", fields: "Expect: 100-continue\r\n")
    #expect(answer.statusLine == "HTTP/1.1 200 OK")
  }

  @Test func `Requests that arrive in one piece are answered in order`() throws {
    let server = try MockServer { .text($0.path) }
    let client = try RawClient(to: server.port)
    try client.send((1...3).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
    #expect(try (1...3).map { _ in try client.readResponse().text } == ["/1", "/2", "/3"])
    #expect(server.requests.map(\.connectionID) == [0, 0, 0])
    #expect(server.requests.map(\.index) == [0, 1, 2])
  }

  @Test func `Each connection has its own id`() throws {
    let server = try echo()
    let first = try RawClient(to: server.port)
    _ = try first.get("/a")
    let second = try RawClient(to: server.port)
    _ = try second.get("/b")
    _ = try first.get("/c")
    #expect(server.requests.map(\.path) == ["/a", "/b", "/c"])
    #expect(server.requests.map(\.connectionID) == [0, 1, 0])
    #expect(server.connectionCount == 2)
  }

  @Test func `A malformed request receives a 400 with the reason, and a close`() throws {
    let server = try echo()
    let client = try RawClient(to: server.port)
    try client.send("GET\r\n\r\n")
    let (text, ending) = try client.readToEnd()
    #expect(text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    #expect(text.contains("\r\nConnection: close\r\n"))
    #expect(text.contains("the request line is not a method, a target and a version"))
    #expect(ending == .closed)
    #expect(server.requests.isEmpty)
  }

  @Test func `A head over 1 MiB receives a 400 that the client can read`() throws {
    let server = try echo()
    let client = try RawClient(to: server.port)
    let long = String(repeating: "x", count: 2 << 20)
    try client.send("GET / HTTP/1.1\r\nHost: h\r\nX: \(long)\r\n\r\n")
    let (text, ending) = try client.readToEnd()
    #expect(text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    #expect(text.contains("the head is longer than 1048576 bytes"))
    #expect(ending == .closed)
  }
}
