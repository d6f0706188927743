import Fixtures
import Foundation
import RESTKitTesting
import Testing

@testable import HTTPTransport
@testable import RESTKit

@Suite("The limits of a response")
struct EngineLimitTests {
  @Test("The defaults are those that the documentation names")
  func defaults() {
    let limits = TransportLimits()
    #expect(limits.bodyBytes == 64 * 1_024 * 1_024)
    #expect(limits.errorBodyBytes == 1_024 * 1_024)
    #expect(limits.expansionRatio == 250)
    #expect(limits.headerBytes == 300 * 1_024)
    #expect(limits.headerCount == 1_000)
  }

  @Test("SEC-09: a huge error page is an error that has the status", arguments: EngineKind.allCases)
  func errorPage(kind: EngineKind) async throws {
    let server = try MockServer { request in
      let count = request.path == "/whole" ? 1_000 : 1_001
      return MockResponse(
        status: 500, body: patternedBody(count),
        delivery: request.path == "/chunked"
          ? .chunked([patternedBody(count)]) : .whole)
    }
    defer { server.stop() }
    var limits = TransportLimits()
    limits.errorBodyBytes = 1_000
    let engine = try kind.make(limits: limits)
    for path in ["/plain", "/chunked"] {
      let fault = try #require(await engine.fault(EngineRequest(url: server.baseURL + path)))
      #expect(fault.kind == .limitExceeded(.errorBodyBytes))
      #expect(fault.statusCode == 500)
      #expect(
        fault.description == """
          The error response's body is larger than the limit (more than 1000 bytes of decoded \
          body); its status was 500; the server may have processed the request. Ask the server \
          for less, or raise TransportLimits.errorBodyBytes of the transport.
          """)
    }
    #expect(try await engine.response(EngineRequest(url: server.baseURL + "/whole")).status == 500)
  }

  @Test("An error's body is never allowed more than other bodies", arguments: EngineKind.allCases)
  func smallerLimitCounts(kind: EngineKind) async throws {
    let server = try MockServer { _ in MockResponse(status: 404, body: patternedBody(101)) }
    defer { server.stop() }
    var limits = TransportLimits()
    limits.bodyBytes = 100
    let engine = try kind.make(limits: limits)
    let fault = try #require(await engine.fault(EngineRequest(url: server.baseURL)))
    #expect(fault.kind == .limitExceeded(.bodyBytes))
  }

  @Test("SEC-09: ten thousand header lines are too many", arguments: EngineKind.allCases)
  func headerCount(kind: EngineKind) async throws {
    let server = try MockServer { request in
      let count = request.path == "/few" ? 500 : 10_000
      return MockResponse(status: 200, headers: (0..<count).map { ("X-\($0)", "") })
    }
    defer { server.stop() }
    let engine = try kind.make()
    let fault = try #require(await engine.fault(EngineRequest(url: server.baseURL)))
    #expect(fault.kind == .limitExceeded(.headerCount))
    #expect(
      fault.remedy
        == "Ask the server for less, or raise TransportLimits.headerCount of the transport.")
    let few = try await engine.response(EngineRequest(url: server.baseURL + "/few"))
    #expect(few.headers["X-499"] != nil)
  }

  @Test("A ratio of any size is allowed, and none of them traps")
  func boundlessRatio() {
    var limits = TransportLimits()
    limits.expansionRatio = .max
    #expect(limits.allows(decodedBytes: .max, of: 2))
    limits.expansionRatio = 2
    #expect(limits.allows(decodedBytes: 4 << 20, of: 2 << 20))
    #expect(!limits.allows(decodedBytes: (4 << 20) + 1, of: 2 << 20))
  }

  @Test("From no input, a mebibyte is never a bomb, and one byte more is one")
  func harmless() {
    let limits = TransportLimits()
    #expect(limits.allows(decodedBytes: 1_048_576, of: 0))
    #expect(!limits.allows(decodedBytes: 1_048_577, of: 0))
  }

  @Test("The smaller limit on an error's body applies from status 400 on")
  func errorStatuses() {
    var limits = TransportLimits()
    for status in [100, 200, 399] {
      let limit = limits.bodyLimit(status: status)
      #expect(limit.kind == .bodyBytes)
      #expect(limit.bytes == limits.bodyBytes)
    }
    for status in [400, 404, 500, 599] {
      let limit = limits.bodyLimit(status: status)
      #expect(limit.kind == .errorBodyBytes)
      #expect(limit.bytes == limits.errorBodyBytes)
    }
    limits.errorBodyBytes = limits.bodyBytes
    #expect(limits.bodyLimit(status: 500).kind == .bodyBytes)
  }

  #if os(Linux)
    @Test("A transport gets its limits at initialization")
    func ofTransport() async throws {
      let server = try MockServer { _ in .text("four") }
      defer { server.stop() }
      var limits = TransportLimits()
      limits.bodyBytes = 3
      for transport: any Transport in [
        try CurlTransport(limits: limits), URLSessionTransport(limits: limits),
      ] {
        let error = try await restError(
          of: TestAPI(baseURL: server.baseURL, transport: transport).get(endpoint: "a"))
        #expect(error.kind == .transport(.limitExceeded(.bodyBytes)))
      }
    }
  #endif
}
