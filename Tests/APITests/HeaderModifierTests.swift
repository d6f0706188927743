import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The modifier for a header")
struct HeaderModifierTests {
  private func sent(_ modifier: @escaping RequestModifier) async throws -> URLRequest {
    let stubs = StubTransport(.get, "https://api.example.com/v1/a")
    _ = try await TestAPI(transport: stubs).get(endpoint: "a", requestModifier: modifier).value
    return try #require(stubs.requests.first)
  }

  @Test("The modifier sets a header beside others")
  func sets() async throws {
    let request = try await sent {
      $0.settingHeader("Accept-Language", to: "de").settingHeader("X-A", to: "").acceptingJSON()
    }
    #expect(
      request.allHTTPHeaderFields
        == ["Accept-Language": "de", "X-A": "", "Accept": "application/json"])
  }

  @Test("The modifier replaces an existing header, in any spelling")
  func replaces() async throws {
    let request = try await sent { $0.acceptingJSON().settingHeader("accept", to: "text/csv") }
    #expect(request.value(forHTTPHeaderField: "Accept") == "text/csv")
    #expect(request.allHTTPHeaderFields?.count == 1)
  }

  @Test("The modifier replaces all existing spellings of a header")
  func replacesAll() async throws {
    let request = try await sent {
      var request = $0
      request.allHTTPHeaderFields = ["X-Api-Key": "1", "x-api-key": "2", "X-API-KEY": "3"]
      return request.settingHeader("x-Api-key", to: "4")
    }
    #expect(request.allHTTPHeaderFields == ["x-Api-key": "4"])
  }

  @Test(
    "SEC-05: a header in two spellings is refused before anything is sent",
    arguments: TransportKind.allCases, [0, 30])
  func twoSpellings(kind: TransportKind, others: Int) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    let error = try await restError(
      of: api.get(endpoint: "a") {
        var request = $0
        request.allHTTPHeaderFields = ["Authorization": "canary", "authorization": "canary"]
        for number in 0..<others { request.setValue("v", forHTTPHeaderField: "X-\(number)") }
        return request
      })
    #expect(error.kind == .invalidRequest)
    #expect(
      error.description.contains("the header authorization is present in two spellings"))
    #expect(!error.description.contains("canary"))
    #expect(server.connectionCount == 0)
  }

  @Test(
    "A name or value that could change the request is refused before anything is sent",
    arguments: TransportKind.allCases,
    [
      ("", "a"), ("X A", "a"), ("X-A:", "a"), ("X-A\r\nX-B: 1", "a"), ("Grün", "a"),
      ("Content-Length", "3"), ("Host", "a"),
      ("X-A", "a\r\nX-B: 1"), ("X-A", "a\n"), ("X-A", "\0"), ("X-A", "a\u{7F}"),
    ])
  func refused(kind: TransportKind, header: (name: String, value: String)) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    let error = try await restError(
      of: api.get(endpoint: "a") { $0.settingHeader(header.name, to: header.value) })
    #expect(error.kind == .invalidRequest)
    #expect(server.connectionCount == 0)
  }
}
