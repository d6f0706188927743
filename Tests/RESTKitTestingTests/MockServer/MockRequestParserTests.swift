import Foundation
import Testing

@testable import RESTKitTesting

@Suite("MockServer understands HTTP")
struct MockRequestParserTests {
  private static let prefix = "POST / HTTP/1.1\r\nHost: h\r\n"

  /// Feeds pieces to the parser and returns its events as text.
  ///
  /// - Parameter withHeads: Whether to include the heads of requests with a body.
  private func events(of pieces: [[UInt8]], withHeads: Bool = false) -> [String] {
    var parser = MockRequestParser()
    var seen: [String] = []
    for piece in pieces {
      parser.append(piece[...])
      reading: while true {
        switch parser.next() {
        case .incomplete:
          break reading
        case .head(let message):
          if withHeads { seen.append("head \(message.target) \(message.body.count)") }
        case .awaitsContinue:
          seen.append("continue")
        case .request(let message):
          let fields = message.headers.filter { $0.name != "Host" }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
          let body = String(decoding: message.body, as: UTF8.self)
          seen.append("\(message.method) \(message.target) [\(fields)] \(body)")
        case .malformed(let fault):
          return seen + ["\(fault.status): \(fault.reason)"]
        }
      }
    }
    return seen
  }

  @Test func `Any split of the bytes gives the same requests`() {
    let text =
      "\r\nGET /a HTTP/1.1\r\nHost: h\r\nA: 1\r\nB:\t2\t\r\n\r\n"
      + "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"
      + "PUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
      + "5;x=y\r\nabcde\r\n01\r\nf\r\n0\r\n"
      + "T: t\r\n\r\nGET /d HTTP/1.0\r\n\r\n"
    let bytes = Array(text.utf8)
    let expected = [
      "GET /a [A=1&B=2] ", "POST /b [Content-Length=5] hello",
      "PUT /c [Transfer-Encoding=Chunked] abcdef", "GET /d [] ",
    ]
    #expect(events(of: [bytes]) == expected)
    #expect(events(of: bytes.map { [$0] }) == expected)
    for cut in bytes.indices {
      #expect(events(of: [Array(bytes[..<cut]), Array(bytes[cut...])]) == expected)
    }
  }

  @Test func `The head of a request with a body is delivered once, before the body`() {
    let text =
      "GET /a HTTP/1.1\r\nHost: h\r\n\r\nPOST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok"
      + "PUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
    let expected = [
      "GET /a [] ", "head /b 0", "POST /b [Content-Length=2] ok", "head /c 0", "continue",
    ]
    #expect(events(of: [Array(text.utf8)], withHeads: true) == expected)
    #expect(events(of: text.utf8.map { [$0] }, withHeads: true) == expected)
  }

  @Test func `A field value that is not UTF-8 is read as Latin-1`() {
    let head = "GET / HTTP/1.1\r\nHost: h\r\nA: "
    let bytes = Array(head.utf8) + [0xe9] + Array("\r\nB: é\r\n\r\n".utf8)
    #expect(events(of: [bytes]) == ["GET / [A=é&B=é] "])
  }

  @Test func `Two equal lengths count as one`() {
    let text = Self.prefix + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nok"
    #expect(events(of: [Array(text.utf8)]).first?.hasSuffix("ok") == true)
  }

  @Test func `100 Continue is requested once, and not if the body has arrived`() {
    let head = Self.prefix + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    let request = "POST / [Expect=100-continue&Content-Length=2] ok"
    #expect(
      events(of: [Array(head.utf8), Array("o".utf8), Array("k".utf8)]) == ["continue", request])
    #expect(events(of: [Array((head + "ok").utf8)]) == [request])
  }

  @Test(arguments: [
    ("GET /\r\n", "the request line is not a method, a target and a version"),
    ("GET  / HTTP/1.1\r\n", "the request line is not a method, a target and a version"),
    ("G\u{1}T / HTTP/1.1\r\n", "the request line is not a method, a target and a version"),
    ("GET /\u{7f} HTTP/1.1\r\n", "the request line is not a method, a target and a version"),
    ("GET / HTTP/2.0\r\n", "the version is neither HTTP/1.1 nor HTTP/1.0"),
    ("GET / HTTP/1.1\n", "a line ends without CR LF"),
    (prefix + "no colon\r\n", "a field has no valid name before a colon"),
    (prefix + "A : 1\r\n", "a field has no valid name before a colon"),
    (prefix + "A: 1\r\n folded: 2\r\n", "a field has no valid name before a colon"),
    (prefix + "A: 1\u{0}\r\n", "the field A has a control character"),
    (prefix + "Content-Length: -1\r\n\r\n", "Content-Length is not a number of bytes"),
    (prefix + "Content-Length: \r\n\r\n", "Content-Length is not a number of bytes"),
    (
      prefix + "Content-Length: 99999999999999999999\r\n\r\n",
      "Content-Length is not a number of bytes"
    ),
    (
      prefix + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
      "Content-Length is given twice with different values"
    ),
    (
      prefix + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "both Transfer-Encoding and Content-Length are given"
    ),
    (
      prefix + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
      "a chunk size is not a hexadecimal number of bytes"
    ),
    (
      prefix + "Transfer-Encoding: chunked\r\n\r\n-1\r\n",
      "a chunk size is not a hexadecimal number of bytes"
    ),
    (
      prefix + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
      "a chunk is longer than its size says"
    ),
  ])
  func `A text that is not HTTP is malformed, with a reason`(text: String, reason: String) {
    #expect(events(of: [Array(text.utf8)]) == ["400: \(reason)"])
  }

  @Test func `A parser that found malformed bytes stays in that state`() {
    var parser = MockRequestParser()
    parser.append(Array("nonsense\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)[...])
    for _ in 1...2 {
      guard case .malformed = parser.next() else {
        Issue.record("went on after a malformed request")
        return
      }
    }
  }

  @Test(arguments: ["GET /", "GET / HTTP/1.1\r\nHost: h\r\nA: ", "GET / HTTP/1.1\r\n"])
  func `A head may have up to 1 MiB`(start: String) {
    let isOneLine = !start.hasSuffix("\n")
    let filler =
      isOneLine
      ? String(repeating: "x", count: 1 << 20) : String(repeating: "A: b\r\n", count: 200_000)
    #expect(
      events(of: [Array((start + filler).utf8)])
        == ["400: the head is longer than 1048576 bytes"])
  }
}
