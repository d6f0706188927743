import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import HTTPTransport
@testable import RESTKit

@Suite("The requests of an engine")
struct EngineRequestTests {
  @Test(
    "Every verb arrives with its name, and keeps nothing for the next call",
    arguments: EngineKind.allCases)
  func verbs(kind: EngineKind) async throws {
    let server = try MockServer { .text($0.method) }
    defer { server.stop() }
    let engine = try kind.make()
    let methods = [
      "GET", "POST", "HEAD", "PUT", "GET", "PATCH", "DELETE", "OPTIONS", "QUERY", "POST", "GET",
    ]
    for method in methods {
      let response = try await engine.response(
        EngineRequest(url: server.baseURL + "/verbs?x=1", method: method))
      #expect(response.status == 200)
      #expect(String(decoding: response.body, as: UTF8.self) == (method == "HEAD" ? "" : method))
    }
    #expect(server.requests.map(\.method) == methods)
    #expect(server.requests.allSatisfy { $0.target == "/verbs?x=1" && $0.body.isEmpty })
  }

  @Test("URLSession refuses chunks, because it cannot wait for them")
  func chunks() async throws {
    var request = EngineRequest(url: "http://127.0.0.1:1", method: "PUT")
    request.upload = .chunks(Just(Data("a".utf8)).setFailureType(to: (any Error).self))
    let fault = try #require(await EngineKind.urlSession.make().fault(request))
    #expect(fault.kind == .invalidRequest)
    #expect(!fault.mayHaveBeenProcessed)
  }

  @Test(
    "A body arrives whole, announced by its length", arguments: EngineKind.allCases,
    [1, 1_000, 70_000, 1_500_000])
  func bodies(kind: EngineKind, size: Int) async throws {
    let server = try MockServer { .text("\($0.body.count)") }
    defer { server.stop() }
    let engine = try kind.make()
    let body = patternedBody(size)
    for method in ["POST", "PUT", "PATCH", "DELETE", "QUERY"] {
      let response = try await engine.response(
        EngineRequest(url: server.baseURL, method: method, body: body))
      #expect(response.status == 200)
    }
    for request in server.requests {
      #expect(request.body == body)
      #expect(request.values(for: "Content-Length") == ["\(size)"])
      #expect(request.value(for: "Transfer-Encoding") == nil)
      #expect(request.value(for: "Expect") == nil)
      #expect(request.value(for: "Content-Type") == nil)
    }
    #expect(server.requests.count == 5)
  }

  @Test("A GET after a body carries neither body nor length", arguments: EngineKind.allCases)
  func getAfterBody(kind: EngineKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let engine = try kind.make()
    _ = try await engine.response(
      EngineRequest(url: server.baseURL, method: "PUT", body: Data("body".utf8)))
    _ = try await engine.response(EngineRequest(url: server.baseURL))
    let last = try #require(server.requests.last)
    #expect(last.body.isEmpty)
    #expect(last.value(for: "Content-Length") == nil)
    #expect(last.value(for: "Transfer-Encoding") == nil)
  }

  @Test("Headers arrive, without blanks around their values", arguments: EngineKind.allCases)
  func headers(kind: EngineKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let engine = try kind.make()
    let headers: HTTPHeaders = [
      "X-One": "1", "X-Blank": " \t two\twords ", "X-Empty": "", "X-Utf8": "grün",
      "Authorization": "Bearer abc", "Cookie": "a=1; b=2", "User-Agent": "me/2",
      "Accept": "application/json", "Content-Type": "application/x-test",
    ]
    _ = try await engine.response(
      EngineRequest(
        url: server.baseURL, method: "POST", headers: headers, body: Data("body".utf8)))
    let request = try #require(server.requests.first)
    #expect(request.values(for: "X-One") == ["1"])
    #expect(request.values(for: "X-Blank") == ["two\twords"])
    #expect(request.values(for: "X-Empty") == [""])
    #expect(request.values(for: "X-Utf8") == ["grün"])
    #expect(request.values(for: "Authorization") == ["Bearer abc"])
    #expect(request.values(for: "Cookie") == ["a=1; b=2"])
    #expect(request.values(for: "User-Agent") == ["me/2"])
    #expect(request.values(for: "Accept") == ["application/json"])
    #expect(request.values(for: "Content-Type") == ["application/x-test"])
  }

  @Test("User-Agent and Accept are set unless the caller sets them", arguments: EngineKind.allCases)
  func defaults(kind: EngineKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let engine = try kind.make()
    _ = try await engine.response(EngineRequest(url: server.baseURL))
    let request = try #require(server.requests.first)
    #expect(request.values(for: "User-Agent") == ["RESTKit/0.1"])
    #expect(request.values(for: "Accept") == ["*/*"])
    #expect(request.values(for: "Host") == ["127.0.0.1:\(server.port)"])
  }

  @Test("Headers of one call do not reach the next", arguments: EngineKind.allCases)
  func headersStay(kind: EngineKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let engine = try kind.make()
    _ = try await engine.response(
      EngineRequest(url: server.baseURL, headers: ["Authorization": "Bearer abc"]))
    _ = try await engine.response(EngineRequest(url: server.baseURL))
    #expect(server.requests.map { $0.value(for: "Authorization") } == ["Bearer abc", nil])
  }

  @Test(
    "Input that could break the framing is refused and never sent", arguments: EngineKind.allCases,
    [
      EngineRequest(url: "/x", method: "GET /evil HTTP/1.1\r\nX: y\r\n\r\nGET"),
      EngineRequest(url: "/x", method: ""),
      EngineRequest(url: "/x", method: "CONNECT"),
      EngineRequest(url: "/x", method: "HEAD", body: Data("x".utf8)),
      EngineRequest(url: "/x", headers: ["X-B\r\nInjected": "yes"]),
      EngineRequest(url: "/x", headers: ["X-C": "evil\r\n\tInj: z"]),
      EngineRequest(url: "/x", headers: ["X-D": "token\n"]),
      EngineRequest(url: "/x", headers: ["content-length": "3"]),
      EngineRequest(url: "/x", headers: ["Transfer-Encoding": "chunked"]),
      EngineRequest(url: "/x", headers: ["Host": "evil"]),
      EngineRequest(url: "/x", headers: ["Connection": "close"]),
    ])
  func refusals(kind: EngineKind, request: EngineRequest) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    var request = request
    request.url = server.baseURL + request.url
    let fault = try #require(await kind.make().fault(request))
    #expect(fault.kind == .invalidRequest)
    #expect(!fault.mayHaveBeenProcessed)
    #expect(server.connectionCount == 0)
  }
}
