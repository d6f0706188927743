import Fixtures
import Foundation
import RESTKitTesting
import Testing

@testable import HTTPTransport
@testable import RESTKit

@Suite("The failures of an engine's calls")
struct EngineFaultTests {
  @Test(
    "A body that ends early is cut, never a success", arguments: EngineKind.allCases,
    [
      MockResponse.Delivery.cut(afterBytes: 100), .cut(afterBytes: 0),
      .chunkedCut([Data("abc".utf8)]),
    ])
  func cut(kind: EngineKind, delivery: MockResponse.Delivery) async throws {
    let server = try MockServer { _ in
      MockResponse(status: 200, body: patternedBody(1_000), delivery: delivery)
    }
    defer { server.stop() }
    let fault = try #require(await kind.make().fault(EngineRequest(url: server.baseURL)))
    #expect(fault.kind == .bodyCut)
    #expect(fault.mayHaveBeenProcessed)
  }

  @Test(
    "A call whose timeout passed before it begins fails, and nothing is sent",
    arguments: EngineKind.allCases, [Duration.zero, .seconds(-1)])
  func noTime(kind: EngineKind, time: Duration) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let fault = try #require(
      await kind.make().fault(EngineRequest(url: server.baseURL, timeout: time)))
    #expect(fault.kind == .timedOut)
    #expect(!fault.mayHaveBeenProcessed)
    #expect(server.connectionCount == 0)
  }

  @Test("A close before the first byte has its own kind", arguments: EngineKind.allCases)
  func emptyReply(kind: EngineKind) async throws {
    let server = try MockServer { _ in MockResponse(status: 200, delivery: .closeBeforeResponse) }
    defer { server.stop() }
    let fault = try #require(
      await kind.make().fault(EngineRequest(url: server.baseURL, method: "POST")))
    #expect(fault.kind == .connectionClosedBeforeResponse)
    #expect(fault.mayHaveBeenProcessed)
    #expect(server.requests.count == 1)
  }

  @Test("A reset before the first byte is a reset", arguments: EngineKind.allCases)
  func reset(kind: EngineKind) async throws {
    let server = try MockServer { _ in MockResponse(status: 200, delivery: .resetBeforeResponse) }
    defer { server.stop() }
    let fault = try #require(
      await kind.make().fault(EngineRequest(url: server.baseURL, method: "POST")))
    #expect(fault.kind == .connectionReset)
    #expect(fault.mayHaveBeenProcessed)
  }

  @Test("A closed port refuses, and nothing was processed", arguments: EngineKind.allCases)
  func refused(kind: EngineKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    server.stop()
    let fault = try #require(await kind.make().fault(EngineRequest(url: server.baseURL)))
    #expect(fault.kind == .connectionRefused)
    #expect(!fault.mayHaveBeenProcessed)
  }

  @Test("A name without an address is not found", arguments: EngineKind.allCases)
  func unknownHost(kind: EngineKind) async throws {
    // RFC 6761 §6.4: this domain never has an address.
    let fault = try #require(
      await kind.make().fault(EngineRequest(url: "http://nowhere.invalid/?token=secret")))
    #expect(fault.kind == .hostNotFound)
    #expect(!fault.mayHaveBeenProcessed)
    #expect(!fault.description.contains("secret"))
  }

  @Test("TLS to a port without it fails as TLS", arguments: EngineKind.allCases)
  func tls(kind: EngineKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let fault = try #require(
      await kind.make().fault(EngineRequest(url: "https://127.0.0.1:\(server.port)/")))
    #expect(fault.kind == .tlsFailed(.notTLS))
    #expect(!fault.mayHaveBeenProcessed)
  }

  @Test(
    "A response that is not HTTP is malformed", arguments: EngineKind.allCases,
    [
      "garbage without a status line\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ])
  func malformed(kind: EngineKind, bytes: String) async throws {
    let server = try MockServer { _ in
      MockResponse(status: 200, delivery: .raw(Data(bytes.utf8)))
    }
    defer { server.stop() }
    let fault = try #require(await kind.make().fault(EngineRequest(url: server.baseURL)))
    #expect(fault.kind == .malformedResponse)
  }

  @Test(
    "An invalid content encoding fails", arguments: EngineKind.allCases,
    ["gzip", "unheard-of"])
  func undecodable(kind: EngineKind, encoding: String) async throws {
    let server = try MockServer { _ in
      MockResponse(
        status: 200, headers: [("Content-Encoding", encoding)], body: Data("not packed".utf8))
    }
    defer { server.stop() }
    let fault = try #require(await kind.make().fault(EngineRequest(url: server.baseURL)))
    #expect(fault.kind == .undecodableBody)
  }

  @Test("A body over the limit fails, compressed or not", arguments: EngineKind.allCases)
  func bodyLimit(kind: EngineKind) async throws {
    // 200,000 zeros.
    let bomb = try #require(Data(base64Encoded: BodyFixtures.packedZeros))
    let server = try MockServer { request in
      switch request.path {
      case "/packed":
        MockResponse(status: 200, headers: [("Content-Encoding", "gzip")], body: bomb)
      case "/chunked": MockResponse(status: 200, delivery: .chunked([patternedBody(200_000)]))
      case "/exact": MockResponse(status: 200, body: patternedBody(100_000))
      default: MockResponse(status: 200, body: patternedBody(100_001))
      }
    }
    defer { server.stop() }
    let engine = try kind.make(maxBodyBytes: 100_000)
    for path in ["/packed", "/chunked", "/plain"] {
      let fault = try #require(await engine.fault(EngineRequest(url: server.baseURL + path)))
      #expect(fault.kind == .limitExceeded(.bodyBytes))
    }
    let response = try await engine.response(EngineRequest(url: server.baseURL + "/exact"))
    #expect(response.body.count == 100_000)
  }

  @Test("Headers over the limit fail", arguments: EngineKind.allCases)
  func headerLimit(kind: EngineKind) async throws {
    let server = try MockServer { _ in
      MockResponse(
        status: 200,
        headers: (0..<400).map { ("X-\($0)", String(repeating: "v", count: 1_000)) })
    }
    defer { server.stop() }
    let fault = try #require(await kind.make().fault(EngineRequest(url: server.baseURL)))
    #expect(fault.kind == .limitExceeded(.headerBytes))
  }

  @Test(
    "A deadline is neither early nor rounded to zero", arguments: EngineKind.allCases,
    [
      MockResponse.Delivery.hang, .paused(afterBytes: 10, until: MockGate()),
    ])
  func deadline(kind: EngineKind, delivery: MockResponse.Delivery) async throws {
    let server = try MockServer { _ in
      MockResponse(status: 200, body: patternedBody(100), delivery: delivery)
    }
    defer { server.stop() }
    let engine = try kind.make()
    let clock = ContinuousClock()
    let begin = clock.now
    let fault = try #require(
      await engine.fault(EngineRequest(url: server.baseURL, timeout: .milliseconds(120))))
    #expect(clock.now - begin >= .milliseconds(120))
    #expect(fault.kind == .timedOut)
    #expect(fault.mayHaveBeenProcessed)
    #expect(try await server.connectionClosed(0) == .client)
  }

  @Test("A dead kept-alive connection never makes a POST run twice", arguments: EngineKind.allCases)
  func noSilentRepeat(kind: EngineKind) async throws {
    let engine = try kind.make()
    for body in [nil, Data("pay once".utf8)] {
      let server = try MockServer { request in
        request.method == "GET"
          ? .text("ok") : MockResponse(status: 200, delivery: .closeBeforeResponse)
      }
      defer { server.stop() }
      let results = await engine.results([
        EngineRequest(url: server.baseURL),
        EngineRequest(url: server.baseURL, method: "POST", body: body),
      ])
      let fault = try #require(throws: TransportError.self) { try results[1].get() }
      #expect(fault.kind == .connectionClosedBeforeResponse)
      #expect(fault.mayHaveBeenProcessed)
      #expect(server.requests.map(\.method) == ["GET", "POST"])
    }
  }

  @Test("A PUT is repeated whole on a dead kept-alive connection", arguments: EngineKind.allCases)
  func silentRepeat(kind: EngineKind) async throws {
    let server = try MockServer { request in
      request.connectionID == 0 && request.method == "PUT"
        ? MockResponse(status: 200, delivery: .closeBeforeResponse) : .text("ok")
    }
    defer { server.stop() }
    let engine = try kind.make()
    let body = patternedBody(100_000)
    let responses = try await engine.responses([
      EngineRequest(url: server.baseURL),
      EngineRequest(url: server.baseURL, method: "PUT", body: body),
    ])
    #expect(responses.map(\.status) == [200, 200])
    #expect(server.requests.map(\.method) == ["GET", "PUT", "PUT"])
    #expect(server.requests.last?.body == body)
  }
}
