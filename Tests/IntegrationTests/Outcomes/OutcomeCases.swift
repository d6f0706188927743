import Foundation
import RESTKit
import RESTKitTesting

extension OutcomeCase {
  private static let ok = "Content-Length: 2\r\n\r\nok"
  private static let foundation = "Foundation's parser refuses what RFC 9112 allows"
  private static let process = "a fault in Foundation ends the process"

  static let all = ends + heads + bodies + requests + servers

  // MARK: How a connection ends

  private static let ends: [OutcomeCase] = [
    OutcomeCase(name: "no listener on the port", place: .address("http://127.0.0.1:1")),
    OutcomeCase(name: "host name without an address", place: .address("http://nowhere.invalid")),
    OutcomeCase(
      name: "IPv6 literal, no listener on the port", place: .address("http://[::1]:1"),
      reason: "Foundation fails with any IPv6 literal, so the transport refuses it"),
    OutcomeCase(
      name: "closed without a response", place: .mock(fail(.closeBeforeResponse))),
    OutcomeCase(
      name: "POST, closed without a response", place: .mock(fail(.closeBeforeResponse)),
      method: .post, body: Data("x".utf8)),
    OutcomeCase(name: "reset without a response", place: .mock(fail(.resetBeforeResponse))),
    OutcomeCase(name: "no response in time", place: .mock(fail(.hang)), seconds: 0.2),
    OutcomeCase(
      name: "body ends before its length",
      place: .mock(
        MockResponse(status: 200, body: Data("hello".utf8), delivery: .cut(afterBytes: 2)))
    ),
    OutcomeCase(
      name: "body ends before its last chunk",
      place: .mock(fail(.chunkedCut([Data("hello".utf8)])))),
    OutcomeCase(
      name: "body without a length, closed", place: .bytes("HTTP/1.1 200 OK\r\n\r\nok")),
    OutcomeCase(
      name: "408 on an idle connection, then a POST",
      place: .late("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"), method: .post,
      body: Data("x".utf8), reason: "libcurl 7.88 in Foundation uses the connection again",
      apple: .open),
  ]

  private static func fail(_ delivery: MockResponse.Delivery) -> MockResponse {
    MockResponse(status: 200, delivery: delivery)
  }

  // MARK: Heads

  private static let heads: [OutcomeCase] = [
    OutcomeCase(name: "not HTTP", place: .bytes("garbage\r\n\r\n")),
    OutcomeCase(
      name: "status line without a reason", place: .bytes("HTTP/1.1 200\r\n\(ok)"),
      reason: foundation, apple: .open),
    OutcomeCase(
      name: "header without a blank after its colon",
      place: .bytes("HTTP/1.1 200 OK\r\nX-Odd:1\r\n\(ok)"), shown: ["X-Odd"], reason: foundation),
    OutcomeCase(
      name: "header in ISO 8859-1", place: .bytes("HTTP/1.1 200 OK\r\nX-Odd: gr\u{FC}n\r\n\(ok)"),
      shown: ["X-Odd"], reason: foundation, apple: .open),
    OutcomeCase(
      name: "header over two lines", place: .bytes("HTTP/1.1 200 OK\r\nX-Odd: a\r\n b\r\n\(ok)"),
      shown: ["X-Odd"]),
    OutcomeCase(
      name: "header without a colon", place: .bytes("HTTP/1.1 200 OK\r\nX-Odd\r\n\(ok)"),
      apple: .open),
    OutcomeCase(
      name: "two headers with one name",
      place: .bytes("HTTP/1.1 200 OK\r\nX-Two: 1\r\nX-Two: 2\r\n\(ok)"), shown: ["X-Two"],
      reason: "Foundation joins lines with one name",
      apple: .other("200, 2 bytes, X-Two [\"1, 2\"]")),
    OutcomeCase(
      name: "two cookies",
      place: .bytes("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\(ok)"),
      shown: ["Set-Cookie"], reason: "Foundation joins lines with one name",
      apple: .other("200, 2 bytes, Set-Cookie [\"a=1, b=2\"]")),
    OutcomeCase(
      name: "two lengths that differ",
      place: .bytes("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 2\r\n\r\nok"),
      apple: .open),
    OutcomeCase(
      name: "two lengths that differ, in two spellings",
      place: .bytes("HTTP/1.1 200 OK\r\nContent-Length: 3\r\ncontent-length: 2\r\n\r\nok"),
      reason: "Foundation reports one of them, and libcurl reads to the end", apple: .open),
    OutcomeCase(
      name: "negative length", place: .bytes("HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok"),
      apple: .open),
    OutcomeCase(
      name: "length near 2⁶³",
      place: .onlyCurl("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nok"),
      reason: process, apple: .other("`.limitExceeded(.bodyBytes)`")),
    OutcomeCase(
      name: "400 KB of headers",
      place: .bytes(
        "HTTP/1.1 200 OK\r\n"
          + (0..<8).map { "X-\($0): " + String(repeating: "a", count: 50_000) + "\r\n" }.joined()
          + ok)),
    OutcomeCase(
      name: "1,100 headers",
      place: .bytes("HTTP/1.1 200 OK\r\n" + (0..<1_100).map { "X-\($0): a\r\n" }.joined() + ok)),
    OutcomeCase(
      name: "103 before the response",
      place: .bytes("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n\(ok)"),
      shown: ["Link"]),
    OutcomeCase(
      name: "204 that announces a body", place: .bytes("HTTP/1.1 204 No Content\r\n\(ok)")),
    OutcomeCase(
      name: "HEAD, with the body's length", place: .bytes("HTTP/1.1 200 OK\r\n\(ok)"),
      method: .head, shown: ["Content-Length"]),
    OutcomeCase(
      name: "carriage return in a header",
      place: .bytes("HTTP/1.1 200 OK\r\nX-Odd: a\rb\r\n\(ok)"), apple: .open),
    OutcomeCase(
      name: "header line of 150 KB",
      place: .bytes(
        "HTTP/1.1 200 OK\r\nX-Odd: \(String(repeating: "a", count: 150_000))\r\n\(ok)")),
    OutcomeCase(
      name: "version in lower case", place: .bytes("http/1.1 200 OK\r\n\(ok)"),
      reason: "Foundation accepts any version", apple: .open),
    OutcomeCase(
      name: "101 that was not asked for",
      place: .bytes("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")),
    OutcomeCase(
      name: "transfer coding that was not asked for",
      place: .bytes(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")),
    OutcomeCase(
      name: "transfer coding on the next line",
      place: .bytes(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
      reason: "Foundation joins folded lines, libcurl does not", apple: .open),
    OutcomeCase(
      name: "redirect with a body",
      place: .bytes("HTTP/1.1 302 Found\r\nLocation: /y\r\n\(ok)"), shown: ["Location"],
      reason: "Foundation does not deliver the body of a 3xx"),
    OutcomeCase(
      name: "redirect to `//[::1]/`",
      place: .onlyCurl("HTTP/1.1 302 Found\r\nLocation: //[::1]/\r\nContent-Length: 0\r\n\r\n"),
      shown: ["Location"], reason: process),
    OutcomeCase(
      name: "401 with Basic",
      place: .bytes("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\n\(ok)"),
      shown: ["WWW-Authenticate"]),
  ]

  // MARK: Bodies

  private static let bodies: [OutcomeCase] = [
    OutcomeCase(
      name: "chunk without a size",
      place: .bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), apple: .open),
    OutcomeCase(
      name: "chunk size with a letter after it",
      place: .bytes(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2g\r\nok\r\n0\r\n\r\n"),
      reason: "libcurl skips the letter, and Foundation does not show the bytes as they came",
      apple: .open),
    OutcomeCase(
      name: "chunks and a trailer",
      place: .onlyCurl(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n"),
      reason: process),
    OutcomeCase(
      name: "body that is not gzip, announced as gzip",
      place: .bytes("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\(ok)")),
    OutcomeCase(
      name: "gzip cut short inside its length",
      place: .bytes(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(cutGzip.count)\r\n\r\n"
          + cutGzip),
      reason: "Foundation's libcurl takes the body for a whole one", apple: .open),
    OutcomeCase(
      name: "gzip of two members",
      place: .mock(
        MockResponse(
          status: 200, headers: [("Content-Encoding", "gzip")],
          body: Data(PackedBytes.gzip("o") + PackedBytes.gzip("k")))),
      reason: "Foundation's libcurl decodes only the first", apple: .open),
    OutcomeCase(
      name: "gzip, closed after its head",
      place: .bytes("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"),
      reason: "Foundation's libcurl takes the body for a whole one", apple: .open),
    OutcomeCase(
      name: "three codings",
      place: .bytes("HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip, gzip\r\n\(ok)")),
    OutcomeCase(
      name: "an unknown coding",
      place: .bytes("HTTP/1.1 200 OK\r\nContent-Encoding: made-up\r\n\(ok)"), apple: .open),
    OutcomeCase(
      name: "65 MiB", place: .mock(MockResponse(status: 200, body: Data(count: 65 << 20)))),
    OutcomeCase(
      name: "500 with 2 MiB", place: .mock(MockResponse(status: 500, body: Data(count: 2 << 20)))),
  ]

  /// "hello" in gzip, without the last 8 bytes: its checksum and length.
  private static let cutGzip =
    "\u{1F}\u{8B}\u{08}\u{00}\u{00}\u{00}\u{00}\u{00}\u{00}\u{03}"
    + "\u{CB}\u{48}\u{CD}\u{C9}\u{C9}\u{07}\u{00}"

  // MARK: Requests

  private static let requests: [OutcomeCase] = [
    OutcomeCase(
      name: "GET with a body", place: .mirror, body: Data("x".utf8),
      reason: "Foundation fails with such a request, so the transport refuses it",
      apple: .other("`.invalidRequest`, not processed")),
    OutcomeCase(name: "POST with a body", place: .mirror, method: .post, body: Data("x".utf8)),
    OutcomeCase(
      name: "POST without a body", place: .mirror, method: .post,
      reason: "only a stream keeps libcurl from sending it twice, and Foundation sends it chunked"),
    OutcomeCase(
      name: "DELETE without a body", place: .mirror, method: .delete,
      reason: "Foundation announces an empty body; both are right (RFC 9110 §8.6)", apple: .open),
    OutcomeCase(name: "DELETE with a body", place: .mirror, method: .delete, body: Data("x".utf8)),
    OutcomeCase(name: "HEAD with a body", place: .mirror, method: .head, body: Data("x".utf8)),
    OutcomeCase(
      name: "Content-Length from the caller", place: .mirror, fields: ["Content-Length": "4"]),
    OutcomeCase(name: "Host from the caller", place: .mirror, fields: ["Host": "other"]),
    OutcomeCase(
      name: "header value with a control character", place: .mirror,
      fields: ["X-Odd": "a\u{1}b"]),
    OutcomeCase(name: "method with a blank", place: .mirror, method: HTTPMethod("A B")),
  ]

  // MARK: Real servers

  private static let servers: [OutcomeCase] = [
    OutcomeCase(name: "httpbin, JSON", place: .httpbin("json"), shown: ["Content-Type"]),
    OutcomeCase(name: "httpbin, 5,000 bytes in chunks", place: .httpbin("stream-bytes/5000")),
    OutcomeCase(name: "httpbin, 418", place: .httpbin("status/418")),
    OutcomeCase(name: "nginx, 32 MiB", place: .peer(.plain, "files/32m.bin")),
    OutcomeCase(
      name: "nginx, a range", place: .peer(.plain, "files/32m.bin"),
      fields: ["Range": "bytes=9-18"], shown: ["Content-Range"]),
    OutcomeCase(
      name: "nginx, a range past the end", place: .peer(.plain, "files/list.json"),
      fields: ["Range": "bytes=9000000-"], shown: ["Content-Range"]),
    OutcomeCase(
      name: "nginx, gzip", place: .peer(.plain, "gzip/list.json"), shown: ["Content-Encoding"]),
    OutcomeCase(
      name: "nginx, 1 GiB", place: .peer(.plain, "files/1g.bin")),
    OutcomeCase(
      name: "nginx, answers before it has read 2 MiB", place: .peer(.plain, "none"), method: .post,
      body: Data(count: 2 << 20)),
    OutcomeCase(
      name: "nginx, too slow for the call's time", place: .peer(.plain, "slow/32m.bin"),
      seconds: 0.2),
    OutcomeCase(name: "TLS, an untrusted authority", place: .peer(.tls, "json")),
    OutcomeCase(
      name: "TLS, self-signed", place: .peer(.selfSigned, "json"),
      apple: .other("`.tlsFailed(.untrustedIssuer)`, not processed")),
    OutcomeCase(
      name: "https to a port that speaks http",
      place: .peer(.plain, "json").secured, apple: .other("`.tlsFailed(.handshake)`, not processed")
    ),
  ]
}

extension OutcomeCase.Place {
  /// The same place, asked over https.
  fileprivate var secured: OutcomeCase.Place {
    guard case .peer(let peer, _) = self, let text = try? peer.text else { return self }
    return .address(text.replacingOccurrences(of: "http:", with: "https:"))
  }
}
