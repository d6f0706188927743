import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import HTTPTransport
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The checks of a transport's request", .timeLimit(.minutes(10)))
struct TransportRequestTests {
  @Test(
    "SEC-08: a body that cannot be sent twice is refused before it is sent once",
    arguments: TransportKind.allCases)
  func bodyStream(kind: TransportKind) async throws {
    let server = try MockServer { _ in .text("never") }
    defer { server.stop() }
    let error = try await restError(
      of: TestAPI(baseURL: server.baseURL, transport: try kind.make())
        .post(endpoint: "a", body: nil) {
          var request = $0
          request.httpBodyStream = InputStream(data: Data("x".utf8))
          return request
        })
    #expect(error.kind == .invalidRequest)
    #expect(error.description.contains("httpBody"))
    #expect(server.connectionCount == 0)
  }

  @Test("A request without a URL is refused", arguments: TransportKind.allCases)
  func noURL(kind: TransportKind) async throws {
    let error = try await restError(
      of: TestAPI(transport: try kind.make()).get(endpoint: "a") {
        var request = $0
        request.url = nil
        return request
      })
    #expect(error.kind == .invalidRequest)
    #expect(error.description.contains("has no URL"))
    (error.underlyingError as? TransportError)?.expectTrueWord()
    #expect(error.request?.location == "(no URL)")
  }

  @Test(
    "A URL that is not http is refused", arguments: TransportKind.allCases,
    ["file:///etc/hostname", "ftp://127.0.0.1/x", "data:,x"])
  func otherScheme(kind: TransportKind, url: String) async throws {
    let target = try #require(URL(string: url))
    let error = try await restError(of: kind.make().response(for: URLRequest(url: target)))
    #expect(error.kind == .invalidRequest)
    #expect((error.underlyingError as? TransportError)?.kind == .unsupportedURL)
  }

  @Test("A timeout of zero, below zero or infinity means no limit")
  func noTimeout() {
    for seconds in [0, -1, .nan, .infinity, -.infinity, 3.2e10, 1e300] as [TimeInterval] {
      #expect(EngineRequest.timeout(seconds: seconds) == nil)
    }
  }

  @Test("Seconds become milliseconds, at least one")
  func timeout() {
    #expect(EngineRequest.timeout(seconds: 60) == .seconds(60))
    #expect(EngineRequest.timeout(seconds: 0.0254) == .milliseconds(25))
    #expect(EngineRequest.timeout(seconds: 1e-9) == .milliseconds(1))
    #expect(EngineRequest.timeout(seconds: 3.1e10) == .seconds(31_000_000_000 as Int64))
  }
}
