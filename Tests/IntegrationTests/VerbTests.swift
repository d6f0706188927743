import Foundation
import RESTKit
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension IntegrationTests {
  @Suite("Verbs")
  struct Verbs {
    @Test(
      "each verb sends its method, path, query, headers and body", arguments: TransportKind.allCases
    )
    func everyVerb(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let body = Data("a body".utf8)
      let query: QueryItems = ["page": "2"]
      let modifier: RequestModifier = { request in
        var request = request.acceptingJSON()
        request.setValue("a value", forHTTPHeaderField: "X-Test")
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        return request
      }
      let calls: [(String, Data, AnyPublisher<RESTResponse, any Error>)] = [
        ("GET", Data(), api.get(endpoint: "anything/it", query: query, requestModifier: modifier)),
        (
          "DELETE", Data(),
          api.delete(endpoint: "anything/it", query: query, requestModifier: modifier)
        ),
        (
          "POST", body,
          api.post(
            endpoint: "anything/it", query: query, body: .data(body), requestModifier: modifier)
        ),
        (
          "PUT", body,
          api.put(
            endpoint: "anything/it", query: query, body: .data(body), requestModifier: modifier)
        ),
        (
          "PATCH", body,
          api.patch(
            endpoint: "anything/it", query: query, body: .data(body), requestModifier: modifier)
        ),
        (
          "DELETE", body,
          api.request(
            .delete, endpoint: "anything/it", query: query, body: .data(body),
            requestModifier: modifier)
        ),
        (
          "TRACE", Data(),
          api.request(
            HTTPMethod("TRACE"), endpoint: "anything/it", query: query, requestModifier: modifier)
        ),
      ]
      for (method, body, call) in calls {
        let echo = try await call.decode(type: Echo.self).value
        #expect(echo.method == method)
        #expect(echo.url.hasSuffix("/anything/it?page=2"), "\(method)")
        #expect(echo.args == ["page": ["2"]], "\(method)")
        #expect(echo.header("X-Test") == "a value", "\(method)")
        #expect(echo.header("Accept") == "application/json", "\(method)")
        #expect(echo.body == body, "\(method)")
      }
    }

    @Test("the endpoint of each verb accepts only that verb", arguments: TransportKind.allCases)
    func verbsOwnEndpoints(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let methods: [HTTPMethod] = [.get, .post, .put, .patch, .delete]
      for method in methods {
        for other in methods {
          let response = try await api.request(method, endpoint: other.rawValue.lowercased()).value
          #expect(response.statusCode == (method == other ? 200 : 405), "\(method) to \(other)")
        }
      }
    }

    @Test(
      "HEAD delivers the head of the GET response, and no body", arguments: TransportKind.allCases)
    func head(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let get = try await api.get(endpoint: "encoding/utf8").value
      let head = try await api.head(endpoint: "encoding/utf8").value
      #expect(head.statusCode == 200)
      #expect(head.data.isEmpty)
      #expect(head.headers["Content-Length"] == "\(get.data.count)")
      #expect(head.headers["Content-Type"] == get.headers["Content-Type"])
      #expect(try await api.head(endpoint: "status/404").value.statusCode == 404)
    }

    @Test("OPTIONS delivers the allowed methods", arguments: TransportKind.allCases)
    func options(kind: TransportKind) async throws {
      let response = try await HttpbinAPI(kind).request(.options, endpoint: "put").value
      #expect(response.statusCode == 200)
      #expect(response.headers["Allow"]?.contains("PUT") == true)
    }

    @Test(
      "a method that the server does not know results in its 405",
      arguments: TransportKind.allCases)
    func unknownMethod(kind: TransportKind) async throws {
      let response = try await HttpbinAPI(kind).request(HTTPMethod("PURGE"), endpoint: "get").value
      #expect(response.statusCode == 405)
    }

    @Test(
      "curl sends a GET with a body, and URLSession refuses it unsent",
      arguments: TransportKind.allCases)
    func getWithBody(kind: TransportKind) async throws {
      let call = try HttpbinAPI(kind).request(
        .get, endpoint: "anything", body: .data(Data("find".utf8)))
      if kind == .urlSession {
        let error = await #expect(throws: RESTError.self) { try await call.value }
        #expect(error?.kind == .invalidRequest)
      } else {
        let echo = try await call.decode(type: Echo.self).value
        #expect(echo.method == "GET")
        #expect(echo.data == "find")
      }
    }

    @Test(
      "a base URL with a path keeps it before every endpoint", arguments: TransportKind.allCases)
    func basePath(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind, path: "/anything/v1/")
      for endpoint in ["users/7", "/users/7"] {
        let echo = try await api.get(endpoint: endpoint).decode(type: Echo.self).value
        #expect(echo.url.hasSuffix("/anything/v1/users/7"))
      }
    }

    @Test("each subscription sends the request anew", arguments: TransportKind.allCases)
    func coldness(kind: TransportKind) async throws {
      struct Identifier: Decodable, Sendable, Hashable {
        let uuid: String
      }
      let call = try HttpbinAPI(kind).get(endpoint: "uuid").decode(type: Identifier.self)
      let first = try await call.value
      let second = try await call.value
      #expect(first != second)
    }
  }
}
