import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The bearer token of a request", .timeLimit(.minutes(10)))
struct BearerAuthorizationTests {
  private let request = URLRequest(url: URL(filePath: "/"))

  @Test("The token is sent as RFC 6750 specifies")
  func plain() {
    let changed = request.addingBearerAuthorization(token: "abc.def-_~+/=")
    #expect(changed.value(forHTTPHeaderField: "Authorization") == "Bearer abc.def-_~+/=")
  }

  @Test("The token replaces any other authorization, and no other field changes")
  func replaces() {
    let changed = request.adding("authorization", "Basic x").adding("X-A", "1")
      .addingBearerAuthorization(token: "t")
    #expect(changed.value(forHTTPHeaderField: "Authorization") == "Bearer t")
    #expect(changed.allHTTPHeaderFields?.count == 2)
    #expect(changed.value(forHTTPHeaderField: "X-A") == "1")
  }

  @Test("The original request stays unchanged")
  func isACopy() {
    _ = request.addingBearerAuthorization(token: "t").acceptingJSON().sendingJSON()
    #expect(request.allHTTPHeaderFields?.isEmpty != false)
  }

  @Test(
    "White space around the token is removed",
    arguments: ["token\n", "token\r\n", "  token\t", " token ", "\ntoken", "\u{2028}token\u{A0}"])
  func trims(token: String) {
    let changed = request.addingBearerAuthorization(token: token)
    #expect(changed.value(forHTTPHeaderField: "Authorization") == "Bearer token")
  }

  @Test(
    "A token that was read from a file with a line break is accepted",
    arguments: TransportKind.allCases)
  func trimsOnTheWire(kind: TransportKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    _ = try await TestAPI(baseURL: server.baseURL, transport: try kind.make())
      .get(endpoint: "a") { $0.addingBearerAuthorization(token: "abc\r\n") }.value
    #expect(server.requests.first?.values(for: "Authorization") == ["Bearer abc"])
  }

  @Test(
    "A token with a control character inside is refused before sending, and not shown",
    arguments: TransportKind.allCases,
    [
      "canary\r\nX-Evil: 1", "canary\nx", "canary\rx", "canary\u{0}x", "canary\u{7F}x",
      "canary\u{1}x", "canary\u{1B}[2Jx",
    ])
  func innerControl(kind: TransportKind, token: String) async throws {
    let server = try MockServer { _ in .text("never") }
    defer { server.stop() }
    let error = try await restError(
      of: TestAPI(baseURL: server.baseURL, transport: try kind.make())
        .get(endpoint: "a") { $0.addingBearerAuthorization(token: token) })
    #expect(error.kind == .invalidRequest)
    #expect(error.description.contains("the value of the header Authorization has a line break"))
    #expect(!error.description.contains("canary"))
    #expect((error.underlyingError as? TransportError)?.mayHaveBeenProcessed == false)
    #expect(server.connectionCount == 0)
  }

  @Test("JSON is requested and announced with the header fields of RFC 9110")
  func json() {
    let changed = request.adding("Accept", "text/html").acceptingJSON().sendingJSON()
    #expect(changed.value(forHTTPHeaderField: "Accept") == "application/json")
    #expect(changed.value(forHTTPHeaderField: "Content-Type") == "application/json")
    #expect(changed.allHTTPHeaderFields?.count == 2)
  }
}
