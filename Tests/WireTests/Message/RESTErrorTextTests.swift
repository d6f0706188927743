import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import IdentityKit
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The texts of errors, without secrets", .timeLimit(.minutes(10)))
struct RESTErrorTextTests {
  /// An exchange with a secret in every place: user info, query, fragment, header fields, bodies.
  private func response(
    _ body: String = #"{"title": "canary", "canary": "canary"}"#, status: Int = 200
  ) throws -> RESTResponse {
    let url = try #require(URL(string: "https://canary:canary@h.example/x?sig=canary#canary"))
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("Bearer canary", forHTTPHeaderField: "Authorization")
    request.httpBody = Data("canary".utf8)
    let headers: HTTPHeaders = [
      "Set-Cookie": "canary", "X-Own": "canary", "Content-Type": "application/problem+json",
      "Location": "https://canary/",
    ]
    return RESTResponse(
      head: ResponseHead(url: url, statusCode: status, headers: headers), data: Data(body.utf8),
      request: RequestSummary(request))
  }

  private struct Item: Decodable, Sendable {
    var name: String
  }

  private func checkTexts(
    of error: RESTError, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let wrapped: [any Error] = [
      error, FetchProfileError.requestFailed(error),
      FetchProfileError.session(.refreshFailed(error)),
    ]
    for text in wrapped.flatMap({ allTexts(of: $0) }) + allTexts(of: error) {
      #expect(!text.contains("canary"), "\(text)", sourceLocation: sourceLocation)
      // A dump shows the bytes of short data one by one: here "c" and "a".
      #expect(!text.contains("- 99\n"), "\(text)", sourceLocation: sourceLocation)
    }
  }

  @Test("An error for a status shows no secret in any text, and keeps its facts")
  func status() async throws {
    let error = try await restError(of: Just(response(status: 500)).validateStatus())
    checkTexts(of: error)
    #expect(error.description.hasPrefix("POST https://h.example/x: the server answered 500"))
    #expect(error.body?.isEmpty == false)
    #expect(error.problem?.title == "canary")
    #expect(error.response?.headers["X-Own"] == "canary")
  }

  @Test("An error for JSON shows no secret")
  func json() async throws {
    checkTexts(of: try await restError(of: Just(response("canary")).unwrapResultJSON()))
    checkTexts(of: try await restError(of: Just(response("\"canary")).unwrapResultJSON()))
  }

  @Test(
    "An error for decoding shows no secret", arguments: [#"{"name": ["canary"]}"#, "{}", "canary"])
  func decoding(body: String) async throws {
    checkTexts(of: try await restError(of: Just(response(body)).decode(type: Item.self)))
  }

  @Test(
    "An error for a redirect shows no secret", arguments: ["javascript:canary", "http://canary/"])
  func redirect(location: String) async throws {
    let stubs = StubTransport(
      .get, "https://h.example/x", statusCode: 302, headers: ["Location": location])
    let error = try await restError(
      of: TestAPI(baseURL: "https://h.example", transport: stubs)
        .get(endpoint: "x", query: [URLQueryItem(name: "sig", value: "canary")]) {
          $0.addingBearerAuthorization(token: "canary")
        })
    #expect(error.kind == .redirect)
    checkTexts(of: error)
  }

  @Test("An error of a transport shows no secret", arguments: TransportKind.allCases)
  func transport(kind: TransportKind) async throws {
    let server = try MockServer { _ in MockResponse(status: 200, delivery: .closeBeforeResponse) }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    let error = try await restError(
      of: api.post(
        endpoint: "x", query: [URLQueryItem(name: "sig", value: "canary")],
        body: .data(Data("canary".utf8))
      ) { $0.addingBearerAuthorization(token: "canary").adding("X-Own", "canary") })
    #expect(error.kind == .transport(.connectionClosedBeforeResponse))
    #expect(error.description.hasPrefix("POST \(server.baseURL)/x: "))
    checkTexts(of: error)
  }

  @Test(
    "An error for a URL that a modifier broke shows no secret", arguments: TransportKind.allCases)
  func userInfo(kind: TransportKind) async throws {
    let error = try await restError(
      of: TestAPI(transport: try kind.make()).get(endpoint: "x") {
        var request = $0
        request.url = URL(string: "https://canary:canary@h.example/x?canary#canary")
        return request
      })
    #expect(error.kind == .invalidRequest)
    #expect(error.description.contains("user info"))
    #expect(error.request?.description == "GET https://h.example/x")
    checkTexts(of: error)
  }

  @Test("An error for a base URL or an endpoint shows no secret")
  func join() async throws {
    let stubs = StubTransport()
    for base in ["https://canary:canary@h", "https://h?canary", "canary"] {
      checkTexts(
        of: try await restError(of: TestAPI(baseURL: base, transport: stubs).get(endpoint: "x")))
    }
    for endpoint in ["x?canary", "x#canary", "https://u:canary@h/"] {
      checkTexts(of: try await restError(of: TestAPI(transport: stubs).get(endpoint: endpoint)))
    }
  }

  @Test("All texts of an error are the same sentence")
  func sameText() async throws {
    let error = try await restError(of: Just(response(status: 404)).validateStatus())
    let text = """
      POST https://h.example/x: the server answered 404 Not Found. \
      The server's own words are in the error's `problem` or `body`.
      """
    #expect(error.description == text)
    #expect(error.debugDescription == text)
    #expect(error.errorDescription == text)
    #expect(error.localizedDescription == text)
    #expect((error as any Error).localizedDescription == text)
    #expect("\(error)" == text)
    #expect(String(reflecting: error) == text)
    #expect(Mirror(reflecting: error).children.map { "\($0.value)" } == [text])
  }

  @Test("A fault of a request that cannot be sent is an invalid request, any other the transport's")
  func kinds() throws {
    let summary = RequestSummary(method: .get, url: URL(string: "http://h/"))
    for kind in [TransportError.Kind.invalidRequest, .unsupportedURL] {
      let fault = TransportError(kind: kind, detail: "x", mayHaveBeenProcessed: false)
      let error = RESTError(fault, request: summary)
      #expect(error.kind == .invalidRequest)
      #expect(error.underlyingError as? TransportError == fault)
    }
    for kind in [
      TransportError.Kind.timedOut, .bodyCut, .tlsFailed(.wrongHost), .other(code: 7),
      .limitExceeded(.bodyBytes),
    ] {
      let fault = TransportError(kind: kind, mayHaveBeenProcessed: true)
      let error = RESTError(fault, request: summary)
      #expect(error.kind == .transport(kind))
      #expect(error.description == "GET http://h/: \(fault.description)")
      #expect(!error.isUnauthorized)
    }
  }
}
