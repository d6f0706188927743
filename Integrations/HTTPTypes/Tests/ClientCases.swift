import Foundation
import HTTPTypes
import RESTKit
import RESTKitHTTPTypes
import RESTKitTesting
import Streams

extension ClientCase {
  static let all = requests + answers + bodies + redirects + ends

  private static let echo: MockServer.Handler = { MockResponse(status: 200, body: $0.body) }

  /// Answers with bytes, and closes.
  private static func raw(_ text: String) -> MockServer.Handler {
    { _ in MockResponse(status: 200, delivery: .raw(Data(text.utf8))) }
  }

  /// A response's description, in a few words.
  private static func words(_ answer: (response: HTTPResponse, data: Data)) -> String {
    let body = answer.data.isEmpty ? "no body" : "\(answer.data.count) bytes"
    return "\(answer.response.status.code), \(body)"
  }

  // MARK: Requests

  private static let requests: [ClientCase] = [
    ClientCase(name: "GET, HEAD, PUT, POST, DELETE, OPTIONS, PATCH", serve: { _ in .text("ok") }) {
      for method in [HTTPRequest.Method.get, .head, .put, .post, .delete, .options, .patch] {
        _ = try await $0.send(method)
      }
      return $0.server.requests.map(\.method).joined(separator: ", ")
    },
    ClientCase(name: "an unknown method", serve: { .text($0.method) }) { scene in
      let method = HTTPRequest.Method("REPORT-2") ?? .get
      return String(decoding: try await scene.send(method).data, as: UTF8.self)
    },
    ClientCase(name: "a path and a query with escapes", serve: { .text($0.target) }) {
      let target = "/a%20b/%2F;c?q=1&q=%C3%A9+&=?/"
      let answer = try await $0.send(.get, target)
      return answer.data == Data(target.utf8) ? "as they are" : "changed"
    },
    ClientCase(name: "a custom header field", serve: { .text($0.value(for: "X-Own") ?? "none") }) {
      String(
        decoding: try await $0.send(.get, "/", fields(("X-Own", "BARbaz"))).data, as: UTF8.self)
    },
    ClientCase(name: "a field with an empty value", serve: { _ in .text("ok") }) {
      _ = try await $0.send(.get, "/", fields(("X-Own", "")))
      return "\($0.server.requests[0].values(for: "X-Own"))"
    },
    ClientCase(name: "two lines of one name in a request", serve: { _ in .text("ok") }) {
      _ = try await $0.send(.get, "/", fields(("X-Own", "one"), ("X-Own", "two")))
      return "\($0.server.requests[0].values(for: "X-Own"))"
    },
    ClientCase(name: "GET with a body", serve: echo) {
      words(try await $0.send(.get, body: HTTPMessageBody(Data("x".utf8))))
    },
    ClientCase(name: "HEAD with a body", serve: echo) {
      words(try await $0.send(.head, body: HTTPMessageBody(Data("x".utf8))))
    },
    ClientCase(name: "a `Transfer-Encoding` from the caller", serve: echo) {
      words(try await $0.send(.post, "/", fields(("Transfer-Encoding", "chunked"))))
    },
    ClientCase(name: "a `Content-Length` from the caller", serve: echo) {
      words(try await $0.send(.post, "/", fields(("Content-Length", "3"))))
    },
  ]

  private static func fields(_ lines: (name: String, value: String)...) -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in lines {
      if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
    }
    return fields
  }

  // MARK: Responses

  private static let answers: [ClientCase] = [
    ClientCase(name: "404", serve: { _ in MockResponse(status: 404) }) {
      words(try await $0.send())
    },
    ClientCase(name: "999", serve: { _ in MockResponse(status: 999) }) {
      words(try await $0.send())
    },
    ClientCase(
      name: "two lines of one name in a response",
      serve: { _ in MockResponse(status: 200, headers: [("X-Two", "one"), ("X-Two", "two")]) }
    ) {
      let fields = try await $0.send().response.headerFields
      return "\(fields.filter { $0.name.canonicalName == "x-two" }.map(\.value))"
    },
    ClientCase(
      name: "103 before the response",
      serve: raw(
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
      )
    ) { words(try await $0.send()) },
    ClientCase(
      name: "100 that was not asked for",
      serve: raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    ) { words(try await $0.send(.put, body: HTTPMessageBody(Data("x".utf8)))) },
    ClientCase(
      name: "101 that was not asked for",
      serve: raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")
    ) { words(try await $0.send()) },
    ClientCase(name: "not HTTP", serve: raw("FOOBAR\r\n\r\n")) { words(try await $0.send()) },
    ClientCase(
      name: "`http/1.1` in lower case",
      serve: raw("http/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    ) { words(try await $0.send()) },
    ClientCase(
      name: "a status line without a reason",
      serve: raw("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok")
    ) { words(try await $0.send()) },
    ClientCase(
      name: "a cookie is not sent back",
      serve: { _ in MockResponse(status: 200, headers: [("Set-Cookie", "a=1")]) }
    ) {
      for _ in 0..<2 { _ = try await $0.send() }
      return $0.server.requests.contains { $0.value(for: "Cookie") != nil } ? "sent" : "not sent"
    },
    ClientCase(
      name: "an `ETag` starts no caching",
      serve: { _ in
        MockResponse(status: 200, headers: [("ETag", "\"1\""), ("Cache-Control", "max-age=60")])
      }
    ) {
      for _ in 0..<2 { _ = try await $0.send() }
      let isConditional = $0.server.requests.contains { $0.value(for: "If-None-Match") != nil }
      return "\($0.server.requests.count) requests" + (isConditional ? ", conditional" : "")
    },
  ]

  // MARK: Bodies

  private static let bodies: [ClientCase] = [
    ClientCase(name: "echo of a text", serve: echo) {
      let answer = try await $0.send(.post, body: HTTPMessageBody(Data("Hello World".utf8)))
      return answer.data == Data("Hello World".utf8) ? "equal" : "another"
    },
    ClientCase(name: "echo of 1 MB with a length, and in chunks", serve: echo) {
      let data = Data(repeating: 0x41, count: 1_000_000)
      let pieces = Array(repeating: Data(repeating: 0x41, count: 100_000), count: 10)
      let chunks = HTTPMessageBody(pieces.publisher.values)
      for body in [HTTPMessageBody(data), chunks] {
        guard try await $0.send(.post, body: body).data == data else { return "another" }
      }
      return "equal"
    },
    ClientCase(name: "a chunked body of no bytes", serve: echo) {
      let body = HTTPMessageBody([Data()].publisher.values)
      return words(try await $0.send(.post, body: body))
    },
    ClientCase(
      name: "1 MB, of which one chunk is read",
      serve: { _ in MockResponse(status: 200, body: Data(count: 1_000_000)) }
    ) { scene in
      // The body is released before the next call.
      func readOne() async throws -> Bool {
        var chunks = try await scene.transport.execute(scene.request()).1.makeAsyncIterator()
        return try await chunks.next() != nil
      }
      guard try await readOne() else { return "no chunk" }
      return "one chunk; the next call: " + words(try await scene.send())
    },
    ClientCase(
      name: "gzip",
      serve: { _ in
        MockResponse(status: 200, headers: [("Content-Encoding", "gzip")], body: gzip)
      }
    ) { String(decoding: try await $0.send().data, as: UTF8.self) },
    ClientCase(
      name: "deflate",
      serve: { _ in
        MockResponse(status: 200, headers: [("Content-Encoding", "deflate")], body: deflate)
      }
    ) { String(decoding: try await $0.send().data, as: UTF8.self) },
    ClientCase(
      name: "brotli is not asked for",
      serve: {
        .text(($0.value(for: "Accept-Encoding") ?? "").contains("br") ? "asked for" : "plain")
      }
    ) { String(decoding: try await $0.send().data, as: UTF8.self) },
    ClientCase(
      name: "brotli that was not asked for",
      serve: { _ in
        MockResponse(status: 200, headers: [("Content-Encoding", "br")], body: Data([1, 2, 3]))
      }
    ) { words(try await $0.send()) },
    ClientCase(
      name: "a trailer after the last chunk",
      serve: raw(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n")
    ) {
      let answer = try await $0.send()
      let isShown = answer.response.headerFields.contains { $0.name.rawName == "X-Sum" }
      return words(answer) + (isShown ? ", shown" : ", not shown")
    },
    ClientCase(
      name: "HEAD with a `Content-Length`", serve: { _ in .text("hello") }
    ) {
      let answer = try await $0.send(.head)
      return words(answer) + ", length \(answer.response.headerFields[.contentLength] ?? "none")"
    },
    ClientCase(
      name: "204 with a `Content-Length`",
      serve: raw("HTTP/1.1 204 No Content\r\nContent-Length: 1000\r\n\r\n")
    ) { words(try await $0.send()) },
    ClientCase(
      name: "304 with a `Content-Length`",
      serve: raw("HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n")
    ) { words(try await $0.send()) },
    ClientCase(
      name: "a body that ends before its length",
      serve: raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nok")
    ) { words(try await $0.send()) },
    ClientCase(
      name: "a body without a length, closed", serve: raw("HTTP/1.1 200 OK\r\n\r\nok")
    ) { words(try await $0.send()) },
    ClientCase(
      name: "two lengths that differ",
      serve: raw("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 2\r\n\r\nok")
    ) { words(try await $0.send()) },
    ClientCase(
      name: "a length that is not a number",
      serve: raw("HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok")
    ) { words(try await $0.send()) },
    ClientCase(
      name: "65 MiB, in pieces and whole",
      serve: { _ in MockResponse(status: 200, body: Data(count: 65 << 20)) }
    ) { scene in
      var count = 0
      for try await chunk in try await scene.transport.execute(scene.request()).1 {
        count += chunk.count
      }
      do {
        _ = try await scene.api.get(endpoint: "large").value
        return "\(count >> 20) MiB, whole"
      } catch let error as RESTError {
        return "\(count >> 20) MiB, \(words(for: error))"
      }
    },
  ]

  /// "hello hello hello".
  private static let gzip = base64("H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==")
  private static let deflate = base64("eNrLSM3JyVfIQJAAOi4GfQ==")

  private static func base64(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }
}
