import Foundation
import RESTKitTesting
import Testing

@Suite("MockServer refuses requests that break RFC 9112", .timeLimit(.minutes(10)))
struct MockFramingTests {
  /// A request, and the beginning of its response and the reason in it, or nil if it is taken.
  struct Row: Sendable, CustomTestStringConvertible {
    let rule: String
    let request: String
    let reason: String?
    var status = 400

    var testDescription: String { "\(rule) \(request.debugDescription)" }

    init(_ rule: String, _ request: String, _ reason: String?, status: Int = 400) {
      self.rule = rule
      self.request = request
      self.reason = reason
      self.status = status
    }

    init(chunk rule: String, _ line: String, _ reason: String?) {
      let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      let isWhole = reason == nil
      self.init(rule, head + line + (isWhole ? "\r\nabcde\r\n0\r\n\r\n" : "\r\n"), reason)
    }

    init(target rule: String, _ method: String, _ target: String, _ reason: String?) {
      self.init(rule, "\(method) \(target) HTTP/1.1\r\nHost: h\r\n\r\n", reason)
    }

    init(coding rule: String, _ fields: String, _ reason: String?, status: Int = 400) {
      let head = "POST / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n"
      self.init(
        rule, head + (reason == nil ? "5\r\nabcde\r\n0\r\n\r\n" : ""), reason, status: status)
    }
  }

  private static let get = "GET / HTTP/1.1\r\n"
  private static let extra = "what follows a chunk size is not an extension"
  private static let control = "a chunk extension has a control character"
  private static let number = "a chunk size is not a hexadecimal number of bytes"
  private static let last = "chunked is not the last Transfer-Encoding"
  private static let host = "Host is not a host with or without a port"

  private static let hosts: [Row] = [
    Row("§3.2", get + "\r\n", "Host is missing"),
    Row("§3.2", get + "Host: a\r\nHost: a\r\n\r\n", "Host is given twice"),
    Row("§3.2", get + "Host: a\r\nX: 1\r\nhost: b\r\n\r\n", "Host is given twice"),
    Row("§3.2", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", "Host is given twice"),
    Row("§3.2", get + "Host: a b\r\n\r\n", host),
    Row("§3.2", get + "Host: a/b\r\n\r\n", host),
    Row("§3.2", get + "Host: u@a\r\n\r\n", host),
    Row("§3.2", get + "Host: a:80x\r\n\r\n", host),
    Row("§3.2", get + "Host: ::1\r\n\r\n", host),
    Row("§3.2", get + "Host: [::1\r\n\r\n", host),
    Row("§3.2", get + "Host: %zz\r\n\r\n", host),
    Row("§3.2", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", nil),
    Row("§3.2", get + "Host:\r\n\r\n", nil),
    Row("§3.2", get + "Host: a.example:8080\r\n\r\n", nil),
    Row("§3.2", get + "Host: [::1]:80\r\n\r\n", nil),
    Row("§3.2", get + "Host: a_b-%C3%A4:\r\n\r\n", nil),
  ]

  private static let target =
    "the target is neither a path, nor an absolute URL, nor the * of OPTIONS"

  private static let targets: [Row] = [
    Row(target: "§3.2.1", "GET", "foo", target), Row(target: "§3.2.1", "GET", "?q", target),
    Row(target: "§3.2.1", "POST", "a/b", target), Row(target: "§3.2.1", "GET", "#f", target),
    Row(target: "§3.2.2", "GET", "http:", target), Row(target: "§3.2.2", "GET", "http:/a", target),
    Row(target: "§3.2.2", "GET", "http://", target),
    Row(target: "§3.2.2", "GET", "1http://a/", target),
    Row(target: "§3.2.2", "GET", "ht*p://a/", target),
    Row(target: "§3.2.2", "GET", "://a/", target),
    Row(target: "§3.2.3", "GET", "a.example:80", target),
    Row(target: "§3.2.4", "GET", "*", target), Row(target: "§3.2.4", "options", "*", target),
    Row(target: "§3.2.4", "OPTIONS", "*a", target),
    Row(target: "§3.2.1", "GET", "//a?b", nil), Row(target: "§3.2.1", "OPTIONS", "/", nil),
    Row(target: "§3.2.2", "GET", "http://a.example", nil),
    Row(target: "§3.2.2", "PUT", "x-1+.a://a.example:80/b?c", nil),
    Row(target: "§3.2.3", "CONNECT", "a.example:80", nil),
    Row(target: "§3.2.4", "OPTIONS", "*", nil),
  ]

  private static let codings: [Row] = [
    Row(coding: "§6.1", "Transfer-Encoding: gzip, chunked", "other than chunked", status: 501),
    Row(coding: "§6.1", "Transfer-Encoding: chunked, chunked", "has chunked twice"),
    Row(
      coding: "§6.1", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "chunked twice"),
    Row(
      "§6.1", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.0 has no Transfer-Encoding"),
    Row(coding: "§6.3", "Transfer-Encoding:", last),
    Row(coding: "§6.3", "Transfer-Encoding: ,", last),
    Row(coding: "§6.3", "Transfer-Encoding: gzip", last),
    Row(coding: "§6.3", "Transfer-Encoding: identity", last),
    Row(coding: "§6.3", "Transfer-Encoding: chunked, gzip", last),
    Row(coding: "§6.3", "Transfer-Encoding: xchunked", last),
    Row(coding: "§6.3", "Transfer-Encoding: chunked;q=1", last),
    Row(coding: "§6.3", "Transfer-Encoding: \"chunked\"", last),
    Row(coding: "§6.3", "Transfer-Encoding: chun ked", last),
    Row(coding: "§6.3", "Transfer-Encoding: chunked\u{b}", "has a control character"),
    Row(coding: "§6.3", "Transfer-Encoding:\r\nContent-Length: 5", last),
    Row(
      coding: "§6.3", "Transfer-Encoding: chunked\r\nContent-Length: 5",
      "both Transfer-Encoding and Content-Length are given"),
    Row(coding: "§7", "Transfer-Encoding:\tChunked\t", nil),
    // RFC 9110 §5.6.1.2
    Row(coding: "§7", "Transfer-Encoding: , , chunked ,,", nil),
  ]

  private static let chunks: [Row] = [
    Row(chunk: "§7.1", "5 x", extra), Row(chunk: "§7.1", "5 ", extra),
    Row(chunk: "§7.1", "5\tabc", extra), Row(chunk: "§7.1", "5 5", extra),
    Row(chunk: "§7.1", "", number), Row(chunk: "§7.1", ";a", number),
    Row(chunk: "§7.1", "0x5", number), Row(chunk: "§7.1", "+5", number),
    Row(chunk: "§7.1", " 5", number), Row(chunk: "§7.1", "5g", number),
    Row(chunk: "§7.1", "10000000000000005", number), Row(chunk: "§7.1", "\u{665}", number),
    Row(chunk: "§7.1.1", "5;", extra), Row(chunk: "§7.1.1", "5;;a", extra),
    Row(chunk: "§7.1.1", "5;a=", extra), Row(chunk: "§7.1.1", "5;=b", extra),
    Row(chunk: "§7.1.1", "5;a=\"b", extra), Row(chunk: "§7.1.1", "5;a=\"b\\\"", extra),
    Row(chunk: "§7.1.1", "5;a=\"b\"c", extra), Row(chunk: "§7.1.1", "5;a b", extra),
    Row(chunk: "§7.1.1", "5;a=(", extra), Row(chunk: "§7.1.1", "5;a\u{0}", control),
    Row(chunk: "§7.1.1", "5;a=\"\u{1}\"", control), Row(chunk: "§7.1.1", "5;a\u{7f}=b", control),
    Row(chunk: "§7.1.1", "5;a=\rb", control),
    Row(chunk: "§7.1.1", "5;a", nil), Row(chunk: "§7.1.1", "05 ; a\t=\tb;c=\"d;e\\\"\t\"", nil),
  ]

  @Test(arguments: targets + hosts + codings + chunks)
  func `A faulty request receives a 400 or 501 with the reason, and a close`(row: Row) throws {
    let server = try MockServer { MockResponse(status: 200, body: $0.body) }
    let client = try RawClient(to: server.port)
    try client.send(row.request)
    guard let reason = row.reason else {
      #expect(try client.readResponse().statusLine == "HTTP/1.1 200 OK")
      #expect(server.requests.count == 1)
      return
    }
    let (text, ending) = try client.readToEnd()
    #expect(text.hasPrefix("HTTP/1.1 \(row.status) "))
    #expect(text.contains("\r\nConnection: close\r\n"))
    #expect(text.contains(reason))
    #expect(ending == .closed)
    #expect(server.requests.isEmpty)
  }

  @Test func `After an early response, a faulty body ends the connection without a second one`()
    throws
  {
    let server = try MockServer(early: { _ in MockResponse(status: 413) }) { _ in .text("late") }
    let client = try RawClient(to: server.port)
    try client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5 x\r\n")
    let (text, ending) = try client.readToEnd()
    #expect(text.hasPrefix("HTTP/1.1 413 "))
    #expect(!text.contains(" 400 "))
    #expect(ending == .closed)
  }

  // MARK: §6.1: a response

  @Test(
    arguments: [
      MockResponse.Delivery.chunked([Data("ab".utf8), Data("c".utf8)]),
      .chunkedCut([Data("abc".utf8)]), .pieces(["a", "bc"]), .pieces(["abc"], end: .cut),
    ], [[], [("Transfer-Encoding", "chunked")]] as [[(name: String, value: String)]])
  func `Chunks are sent without framing to a client of HTTP/1.0, and then a close`(
    delivery: MockResponse.Delivery, headers: [(name: String, value: String)]
  ) throws {
    let server = try MockServer { _ in
      MockResponse(status: 200, headers: headers, delivery: delivery)
    }
    let client = try RawClient(to: server.port)
    try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    let (text, ending) = try client.readToEnd()
    #expect(text == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc")
    #expect(ending == .closed)
    let head = try RawClient(to: server.port)
    try head.send("HEAD / HTTP/1.0\r\n\r\n")
    #expect(try head.readToEnd().text == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
  }

  @Test func `Pieces with a length stay as they are for a client of HTTP/1.0`() throws {
    let server = try MockServer { _ in
      MockResponse(
        status: 200, headers: [("Content-Length", "3")], delivery: .pieces(["a", "bc"]))
    }
    let client = try RawClient(to: server.port)
    for _ in 1...2 {
      try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      #expect(try client.readResponse().text == "abc")
    }
    #expect(server.connectionCount == 1)
  }
}
