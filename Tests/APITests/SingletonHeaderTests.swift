import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private struct Asked: Endpoint {
  typealias Response = [String]
  var path: ResourcePath { "a" }
  var headers: HTTPHeaders
}

@Suite("SEC-05: a header that has one value is set, and never added to another")
struct SingletonHeaderTests {
  private static let names: [(String, String)] = [
    ("Authorization", "authorization"), ("Content-Type", "CONTENT-TYPE"),
    ("User-Agent", "user-agent"), ("User-Agent", "User-Agent"), ("Range", "range"),
    ("Idempotency-Key", "idempotency-key"),
  ]

  private func check(_ error: RESTError, _ one: String, _ other: String) {
    #expect(error.kind == .invalidRequest)
    #expect(error.attempts == 0)
    #expect(error.reason.contains("is given twice, as \(one) and as \(other)"))
    for text in allTexts(of: error) { #expect(!text.contains("canary")) }
  }

  @Test("Two spellings fail the call, and the error names both", arguments: names)
  func refused(one: String, other: String) async throws {
    let stubs = StubTransport()
    let api = TestAPI(transport: stubs)
    let literal = HTTPHeaders([
      (name: one, value: "canary1"), (name: "X-Own", value: "1"), (name: other, value: "canary2"),
    ])
    check(try await restError(of: api.get(endpoint: "a", headers: literal)), one, other)
    check(
      try await restError(of: api.events(.get, endpoint: "a", headers: literal).last()), one, other)
    check(try await restError(of: api.publisher(for: Asked(headers: literal))), one, other)
    #expect(stubs.requests.isEmpty)
  }

  @Test("A dictionary with two spellings fails the call")
  func dictionary() async throws {
    let fields = ["User-Agent": "canary1", "user-agent": "canary2"]
    let error = try await restError(
      of: TestAPI(transport: StubTransport()).get(endpoint: "a", headers: HTTPHeaders(fields)))
    check(error, "User-Agent", "user-agent")
  }

  @Test("A list keeps each of its values, and one value replaces the body's own")
  func sent() async throws {
    let stubs = StubTransport(.post, "https://api.example.com/v1/a")
    _ = try await TestAPI(transport: stubs).post(
      endpoint: "a",
      headers: ["Accept": "text/html", "accept": "text/csv", "content-type": "application/x"],
      body: .json(["a"])
    ).value
    let fields = try #require(stubs.requests.first?.allHTTPHeaderFields)
    #expect(fields == ["Accept": "text/html,text/csv", "content-type": "application/x"])
  }
}
