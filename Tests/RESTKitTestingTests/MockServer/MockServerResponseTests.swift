import Foundation
import RESTKitTesting
import Testing

@Suite("MockServer writes responses", .timeLimit(.minutes(10)))
struct MockServerResponseTests {
  private func client(for response: MockResponse) throws -> (MockServer, RawClient) {
    let server = try MockServer { _ in response }
    return (server, try RawClient(to: server.port))
  }

  @Test func `A response has its status, reason, fields in order, length and body`() throws {
    let (server, client) = try client(
      for: MockResponse(
        status: 201, headers: [("Set-Cookie", "a=1"), ("X-Y", ""), ("Set-Cookie", "b=2")],
        body: Data("hi".utf8)))
    try client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    #expect(
      try client.readToEnd().text
        == "HTTP/1.1 201 Created\r\nSet-Cookie: a=1\r\nX-Y: \r\nSet-Cookie: b=2\r\n"
        + "Content-Length: 2\r\nConnection: close\r\n\r\nhi")
    server.stop()
  }

  @Test func `A reason is the one given, the standard one, or empty`() throws {
    let server = try MockServer { request in
      switch request.path {
      case "/own": MockResponse(status: 200, reason: "Fine")
      case "/standard": MockResponse(status: 429)
      default: MockResponse(status: 299)
      }
    }
    let client = try RawClient(to: server.port)
    #expect(try client.get("/own").statusLine == "HTTP/1.1 200 Fine")
    #expect(try client.get("/standard").statusLine == "HTTP/1.1 429 Too Many Requests")
    #expect(try client.get("/none").statusLine == "HTTP/1.1 299 ")
  }

  @Test func `JSON and text responses have their content type`() throws {
    let server = try MockServer { $0.path == "/j" ? .json("{}", status: 422) : .text("é") }
    let client = try RawClient(to: server.port)
    let json = try client.get("/j")
    #expect(json.statusLine == "HTTP/1.1 422 Unprocessable Content")
    #expect(json.values(for: "Content-Type") == ["application/json"])
    #expect(json.text == "{}")
    let text = try client.get("/t")
    #expect(text.values(for: "Content-Type") == ["text/plain; charset=utf-8"])
    #expect(text.text == "é")
  }

  @Test func `The response to HEAD has the length and no body`() throws {
    let (server, client) = try client(for: .text("12345"))
    try client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(try client.readHead().values(for: "Content-Length") == ["5"])
    #expect(try client.get("/").text == "12345")
    server.stop()
  }

  @Test(arguments: [204, 304])
  func `A status without a body has neither length nor body`(status: Int) throws {
    let (server, client) = try client(for: MockResponse(status: status, body: Data("no".utf8)))
    #expect(try client.get("/").values(for: "Content-Length").isEmpty)
    #expect(try client.get("/").statusLine.hasPrefix("HTTP/1.1 \(status) "))
    server.stop()
  }

  @Test func `A length or coding in the headers is left unchanged`() throws {
    let server = try MockServer { request in
      let own =
        request.path == "/length"
        ? (name: "content-length", value: "1") : (name: "transfer-encoding", value: "chunked")
      return MockResponse(status: 200, headers: [own], body: Data("0\r\n\r\n".utf8))
    }
    let client = try RawClient(to: server.port)
    try client.send("GET /length HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(try client.readHead().headers.map(\.name) == ["content-length"])
    _ = try client.readExactly(5)
    try client.send("GET /coding HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(try client.readHead().headers.map(\.name) == ["transfer-encoding"])
  }

  @Test func `A connection stays open unless the request asks to close it`() async throws {
    let (server, client) = try client(for: .text("x"))
    _ = try client.get("/")
    let last = try client.get("/", fields: "Connection: TE, Close\r\n")
    #expect(last.values(for: "Connection") == ["close"])
    #expect(try client.readToEnd() == ("", .closed))
    #expect(try await server.connectionClosed(0) == .server)
    #expect(server.connectionCount == 1)
  }

  @Test func `Connection close in the response closes the connection`() throws {
    let (server, client) = try client(
      for: MockResponse(status: 200, headers: [("connection", "close")]))
    #expect(try client.get("/").values(for: "Connection") == ["close"])
    #expect(try client.readToEnd().ending == .closed)
    server.stop()
  }

  @Test func `An HTTP 1.0 connection closes unless the request asks to keep it`() throws {
    let (server, client) = try client(for: .text("x"))
    try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    #expect(try client.readResponse().values(for: "Connection") == ["keep-alive"])
    try client.send("GET / HTTP/1.0\r\n\r\n")
    #expect(try client.readToEnd().text.contains("\r\nConnection: close\r\n"))
    server.stop()
  }

  @Test(arguments: [
    (MockResponse(status: 99), "the status 99 is not in 100...999"),
    (MockResponse(status: 200, reason: "a\r\nb"), "the reason phrase has a control character"),
    (MockResponse(status: 200, headers: [("a b", "")]), "the header name 'a b' is not a token"),
    (MockResponse(status: 200, headers: [("X", "1\r\nY: 2")]), "the value of the header 'X'"),
    (
      MockResponse(
        status: 200, headers: [("Content-Length", "five")], delivery: .pieces(["hello"])),
      "the Content-Length of its pieces is not a number of bytes"
    ),
  ])
  func `A response that is not valid HTTP becomes a 500 that names the fault`(
    response: MockResponse, fault: String
  ) throws {
    let (server, client) = try client(for: response)
    let answer = try client.get("/")
    #expect(answer.statusLine == "HTTP/1.1 500 Internal Server Error")
    #expect(answer.text.contains(fault))
    server.stop()
  }
}
