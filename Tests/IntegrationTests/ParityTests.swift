import Foundation
import RESTKit
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension IntegrationTests {
  @Suite("Equal behavior of the transports")
  struct Parity {
    /// The outcome that a caller sees.
    private struct Outcome: Equatable {
      var status: Int?
      var url: String?
      var body: Data?
      var headers: [String: String?] = [:]
      var error: RESTError.Kind?
    }

    private struct Request: Sendable {
      let method: HTTPMethod
      let endpoint: String
      var query: QueryItems = []
      var body: Data?
      var headers: [String: String] = [:]
    }

    private static let comparedHeaders = [
      "Content-Type", "Content-Length", "Content-Encoding", "Location", "ETag", "Allow",
      "WWW-Authenticate", "Proxy-Authenticate", "Cache-Control", "Content-Range", "X-More-Info",
      "Access-Control-Allow-Origin", "X-Two", "Server",
    ]

    private static let requests: [Request] = [
      Request(method: .get, endpoint: "json"),
      Request(method: .get, endpoint: "xml"),
      Request(method: .get, endpoint: "html"),
      Request(method: .get, endpoint: "encoding/utf8"),
      Request(method: .get, endpoint: "image/jpeg"),
      Request(method: .get, endpoint: "bytes/5000", query: [item("seed", "3")]),
      Request(method: .get, endpoint: "stream-bytes/5000", query: [item("seed", "3")]),
      Request(method: .get, endpoint: "range/500", headers: ["Range": "bytes=100-"]),
      Request(method: .get, endpoint: "range/500", headers: ["Range": "bytes=900-"]),
      Request(method: .get, endpoint: "base64/SGVsbG8="),
      Request(method: .get, endpoint: "links/3"),
      Request(method: .get, endpoint: "redirect-to", query: [item("url", "/json")]),
      Request(method: .get, endpoint: "redirect-to", query: [item("url", "file:///x")]),
      Request(method: .get, endpoint: "redirect/11"),
      Request(method: .get, endpoint: "etag/x", headers: ["If-None-Match": "x"]),
      Request(method: .get, endpoint: "etag/x", headers: ["If-Match": "y"]),
      Request(method: .get, endpoint: "basic-auth/a/b"),
      Request(method: .get, endpoint: "bearer"),
      Request(method: .get, endpoint: "bearer", headers: ["Authorization": "Bearer t"]),
      Request(method: .get, endpoint: "status/204"),
      Request(method: .get, endpoint: "status/300"),
      Request(method: .get, endpoint: "status/304"),
      Request(method: .get, endpoint: "status/305"),
      Request(method: .get, endpoint: "status/407"),
      Request(method: .get, endpoint: "status/418"),
      Request(method: .get, endpoint: "status/500"),
      Request(method: .get, endpoint: "no/such/page"),
      Request(
        method: .get, endpoint: "response-headers", query: [item("X-Two", "1"), item("X-Two", "2")]),
      Request(
        method: .get, endpoint: "response-headers", query: [item("Content-Encoding", "gzip")]),
      Request(method: .get, endpoint: "get", headers: ["Content-Length": "4"]),
      Request(method: .get, endpoint: "get", headers: ["X-Bad": "a\u{1}b"]),
      Request(method: .get, endpoint: "../get"),
      Request(method: HTTPMethod("BAD METHOD"), endpoint: "get"),
      Request(method: .head, endpoint: "encoding/utf8"),
      Request(method: .head, endpoint: "status/404"),
      Request(method: .head, endpoint: "get", body: Data("x".utf8)),
      Request(method: .options, endpoint: "put"),
      Request(method: .put, endpoint: "get", body: Data("x".utf8)),
      Request(method: .delete, endpoint: "status/202"),
      Request(method: .post, endpoint: "status/201", body: Data("x".utf8)),
    ]

    @Test(
      "status, body, headers and errors are the same on every transport",
      .enabled(if: TransportKind.allCases.count > 1, "this platform has one transport"))
    func sameOutcome() async throws {
      let apis = try TransportKind.allCases.map { (kind: $0, api: try HttpbinAPI($0)) }
      let first = try #require(apis.first)
      for request in Self.requests {
        let expected = await outcome(of: request, through: first.api)
        for (kind, api) in apis.dropFirst() {
          let outcome = await outcome(of: request, through: api)
          #expect(outcome == expected, "\(kind): \(request.method) \(request.endpoint)")
        }
      }
    }

    @Test(
      "a server reads the same request from every transport",
      .enabled(if: TransportKind.allCases.count > 1, "this platform has one transport"))
    func sameRequest() async throws {
      // Without Accept-Encoding, because each transport requests the encodings it can decode.
      let names = [
        "Accept", "Authorization", "Content-Length", "Content-Type", "Host", "User-Agent",
        "X-Empty", "X-Text",
      ]
      var echoes: [[String: String?]] = []
      for kind in TransportKind.allCases {
        let echo = try await HttpbinAPI(kind).put(
          endpoint: "anything/a%20b", query: [Self.item("q", "ü+ &")], body: .data(Data("{}".utf8))
        ) { request in
          var request = request.addingBearerAuthorization(token: "t").sendingJSON()
          request.setValue("", forHTTPHeaderField: "X-Empty")
          request.setValue("Grüße, \"x\"", forHTTPHeaderField: "X-Text")
          return request
        }
        .decode(type: Echo.self).value
        var seen = Dictionary(uniqueKeysWithValues: names.map { ($0, echo.header($0)) })
        seen["url"] = echo.url
        seen["data"] = echo.data
        echoes.append(seen)
      }
      let first = try #require(echoes.first)
      for echo in echoes.dropFirst() { #expect(echo == first) }
    }

    private func outcome(of request: Request, through api: HttpbinAPI) async -> Outcome {
      do {
        let response = try await api.request(
          request.method, endpoint: request.endpoint, query: request.query,
          body: request.body.map { .data($0) }
        ) { message in
          var message = message
          for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
          return message
        }.value
        return Outcome(
          status: response.statusCode, url: response.url.absoluteString, body: response.data,
          headers: Dictionary(
            uniqueKeysWithValues: Self.comparedHeaders.map { ($0, response.headers[$0]) }))
      } catch {
        return Outcome(error: (error as? RESTError)?.kind)
      }
    }

    private static func item(_ name: String, _ value: String) -> URLQueryItem {
      URLQueryItem(name: name, value: value)
    }
  }
}
