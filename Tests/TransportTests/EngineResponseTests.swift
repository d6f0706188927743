import Fixtures
import Foundation
import RESTKitTesting
import Testing

@testable import HTTPTransport
@testable import RESTKit

@Suite("The responses of an engine")
struct EngineResponseTests {
  @Test("Any status is a response, with its body", arguments: EngineKind.allCases)
  func statuses(kind: EngineKind) async throws {
    let server = try MockServer { request in
      MockResponse(
        status: Int(request.path.dropFirst()) ?? 500, body: Data("body".utf8))
    }
    defer { server.stop() }
    let engine = try kind.make()
    for status in [200, 201, 202, 204, 304, 400, 403, 404, 407, 409, 418, 429, 500, 503, 599] {
      let response = try await engine.response(EngineRequest(url: server.baseURL + "/\(status)"))
      #expect(response.status == status)
      let hasBody = status != 204 && status != 304
      #expect(String(decoding: response.body, as: UTF8.self) == (hasBody ? "body" : ""))
    }
  }

  @Test(
    "A 401 arrives with its body, for any challenge", arguments: EngineKind.allCases,
    [
      "Basic realm=\"x\"", "Bearer", "Digest realm=\"x\", nonce=\"y\"",
      "Bearer realm=\"a\", Basic realm=\"b\"", "Negotiate", "Unknown",
    ])
  func challenges(kind: EngineKind, challenge: String) async throws {
    let server = try MockServer { _ in
      MockResponse(
        status: 401, headers: [("WWW-Authenticate", challenge)], body: Data("denied".utf8))
    }
    defer { server.stop() }
    let engine = try kind.make()
    for authorization in [nil, "Bearer old"] {
      var request = EngineRequest(url: server.baseURL, method: "POST", body: Data("x".utf8))
      request.headers["Authorization"] = authorization
      let response = try await engine.response(request)
      #expect(response.status == 401)
      #expect(response.headers["www-authenticate"] == challenge)
      #expect(String(decoding: response.body, as: UTF8.self) == "denied")
    }
    #expect(server.requests.count == 2)
  }

  @Test(
    "A redirect is delivered, never followed", arguments: EngineKind.allCases,
    [301, 302, 303, 307, 308])
  func redirects(kind: EngineKind, status: Int) async throws {
    let server = try MockServer { _ in
      MockResponse(status: status, headers: [("Location", "/elsewhere")], body: Data("moved".utf8))
    }
    defer { server.stop() }
    let engine = try kind.make()
    for method in ["GET", "POST", "PUT"] {
      let body = method == "GET" ? nil : Data("x".utf8)
      let response = try await engine.response(
        EngineRequest(url: server.baseURL + "/here", method: method, body: body))
      #expect(response.status == status)
      #expect(response.headers["Location"] == "/elsewhere")
    }
    #expect(server.requests.allSatisfy { $0.path == "/here" })
  }

  @Test("Only the final response's head is kept", arguments: EngineKind.allCases)
  func interim(kind: EngineKind) async throws {
    let server = try MockServer { _ in
      MockResponse(
        status: 200,
        delivery: .raw(
          Data(
            """
            HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n\
            HTTP/1.1 102 Processing\r\n\r\n\
            HTTP/1.1 200 OK\r\nX-Final: 2\r\nContent-Length: 2\r\n\r\nok
            """.utf8)))
    }
    defer { server.stop() }
    let response = try await kind.make().response(EngineRequest(url: server.baseURL))
    #expect(response.status == 200)
    #expect(response.headers["X-Early"] == nil)
    #expect(response.headers["X-Final"] == "2")
    #expect(response.body == Data("ok".utf8))
  }

  private func result(
    _ kind: EngineKind, _ fields: String, body: String
  ) async throws -> Result<EngineResponse, TransportError> {
    let server = try MockServer { _ in
      MockResponse(
        status: 200, delivery: .raw(Data("HTTP/1.1 200 OK\r\n\(fields)\r\n\(body)".utf8)))
    }
    defer { server.stop() }
    return await (try kind.make()).result(EngineRequest(url: server.baseURL))
  }

  @Test(
    "SEC-09: two different lengths in one head are no valid HTTP (RFC 9112 §6.3)",
    arguments: EngineKind.allCases,
    [
      "Content-Length: 2\r\nContent-Length: 3\r\n", "Content-Length: 3\r\ncontent-length: 2\r\n",
      "Content-Length: 2, 3\r\n",
    ])
  func lengths(kind: EngineKind, fields: String) async throws {
    let result = try await result(kind, fields, body: "abc")
    withKnownIssue("Foundation on Linux tells only the last line", isIntermittent: true) {
      guard case .failure(let fault) = result else {
        Issue.record("two lengths were taken for one")
        return
      }
      #expect(fault.kind == .malformedResponse)
      #expect(fault.mayHaveBeenProcessed)
    } when: {
      kind == .urlSession
    }
  }

  @Test(
    "The same length several times counts once", arguments: EngineKind.allCases,
    ["Content-Length: 3\r\nContent-Length: 3\r\n"])
  func sameLengths(kind: EngineKind, fields: String) async throws {
    #expect(try await result(kind, fields, body: "abc").get().body == Data("abc".utf8))
  }

  @Test("A chunked body arrives whole", arguments: EngineKind.allCases)
  func chunks(kind: EngineKind) async throws {
    let body = patternedBody(300_000)
    let chunks = [Data("a".utf8), body.prefix(100_000), body.dropFirst(100_000)]
    let server = try MockServer { _ in
      MockResponse(status: 200, delivery: .chunked(chunks))
    }
    defer { server.stop() }
    let response = try await kind.make().response(EngineRequest(url: server.baseURL))
    #expect(response.body == Data("a".utf8) + body)
  }

  @Test("A gzip body arrives decoded, and its header is kept", arguments: EngineKind.allCases)
  func gzip(kind: EngineKind) async throws {
    let packed = try #require(
      Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA=="))
    let server = try MockServer { _ in
      MockResponse(status: 200, headers: [("Content-Encoding", "gzip")], body: packed)
    }
    defer { server.stop() }
    let response = try await kind.make().response(EngineRequest(url: server.baseURL))
    #expect(String(decoding: response.body, as: UTF8.self) == "hello hello hello")
    #expect(response.headers["Content-Encoding"] == "gzip")
    #expect(server.requests.first?.value(for: "Accept-Encoding")?.contains("gzip") == true)
  }

  @Test("Duplicate header lines of a response are kept", arguments: EngineKind.allCases)
  func duplicates(kind: EngineKind) async throws {
    let server = try MockServer { _ in
      MockResponse(status: 200, headers: [("X-Many", "one"), ("X-Many", "two"), ("x-last", "3")])
    }
    defer { server.stop() }
    let response = try await kind.make().response(EngineRequest(url: server.baseURL))
    let joined = response.headers["x-many"]?.replacing(", ", with: ",")
    #expect(joined == "one,two")
    #expect(response.headers["X-LAST"] == "3")
  }

  @Test("Neither cookies nor responses are kept", arguments: EngineKind.allCases)
  func noMemory(kind: EngineKind) async throws {
    let server = try MockServer { _ in
      MockResponse(
        status: 200,
        headers: [
          ("Set-Cookie", "id=1; Path=/"), ("Cache-Control", "max-age=1000"), ("ETag", "\"e\""),
        ])
    }
    defer { server.stop() }
    let engine = try kind.make()
    for _ in 0..<2 { _ = try await engine.response(EngineRequest(url: server.baseURL)) }
    #expect(server.requests.map { $0.value(for: "Cookie") } == [nil, nil])
    #expect(server.requests.map { $0.value(for: "If-None-Match") } == [nil, nil])
  }

  @Test("A connection is reused", arguments: EngineKind.allCases)
  func keepAlive(kind: EngineKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let engine = try kind.make()
    let request = EngineRequest(url: server.baseURL)
    _ = try await engine.responses(Array(repeating: request, count: 5))
    #expect(server.connectionCount == 1)
  }
}
