import Foundation
import RESTKit
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension IntegrationTests {
  @Suite("Redirects")
  struct Redirects {
    @Test(
      "ten redirects are followed, and an eleventh is refused",
      arguments: TransportKind.allCases,
      ["redirect", "relative-redirect", "absolute-redirect"])
    func count(kind: TransportKind, endpoint: String) async throws {
      let api = try HttpbinAPI(kind)
      for hops in [1, 2, 10] {
        let response = try await api.get(endpoint: "\(endpoint)/\(hops)").value
        #expect(response.statusCode == 200)
        #expect(response.url.absoluteString == "\(api.baseURL)/get")
        let echo = try JSONDecoder().decode(Echo.self, from: response.data)
        #expect(echo.url == "\(api.baseURL)/get")
      }
      let call = api.get(endpoint: "\(endpoint)/11")
      let error = await #expect(throws: RESTError.self) { try await call.value }
      #expect(error?.kind == .redirect)
      #expect(error?.response?.statusCode == 302)
    }

    @Test(
      "each status keeps or changes the method and the body by RFC 9110",
      arguments: TransportKind.allCases)
    func methods(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let body = Data("the body".utf8)
      let kept: [HTTPMethod: [Int]] = [
        .post: [307, 308], .put: [301, 302, 307, 308], .patch: [301, 302, 307, 308],
        .delete: [301, 302, 307, 308],
      ]
      for (method, statuses) in kept {
        for status in [301, 302, 303, 307, 308] {
          let echo = try await redirected(api, method, status: status, body: body)
          let isKept = statuses.contains(status)
          #expect(echo.method == (isKept ? method.rawValue : "GET"), "\(method) on \(status)")
          #expect(echo.body == (isKept ? body : Data()), "\(method) on \(status)")
          #expect(echo.header("X-Call") == "7", "\(method) on \(status)")
          #expect(
            echo.header("Content-Type") == (isKept ? "text/plain" : nil), "\(method) on \(status)")
        }
      }
    }

    @Test(
      "a GET stays a GET on every redirect, and a HEAD stays a HEAD",
      arguments: TransportKind.allCases)
    func safeMethods(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      for status in [301, 302, 303, 307, 308] {
        let echo = try await redirected(api, .get, status: status, body: nil)
        #expect(echo.method == "GET")
        let head = try await api.head(
          endpoint: "redirect-to", query: target("/encoding/utf8", status: status)
        ).value
        #expect(head.statusCode == 200)
        #expect(head.data.isEmpty)
        #expect(head.url.path == "/encoding/utf8")
      }
    }

    @Test(
      "a 300, 304 and 305 with a Location is delivered, not followed",
      arguments: TransportKind.allCases)
    func otherStatuses(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      for status in [300, 304, 305, 306] {
        let response = try await api.get(
          endpoint: "redirect-to", query: target("/get", status: status)
        ).value
        #expect(response.statusCode == status)
        #expect(response.headers["Location"] == "/get")
      }
    }

    @Test(
      "a Location is resolved against the URL that sent it", arguments: TransportKind.allCases,
      [
        ("/anything/a?x=1", "/anything/a?x=1"), ("anything/b", "/anything/b"),
        ("./anything/c", "/anything/c"),
        ("/anything/two%20words?q=%C3%A9", "/anything/two%20words?q=é"),
        ("/anything/d#part", "/anything/d"), ("../../anything/e", "/anything/e"),
        ("/anything/x/../f", "/anything/f"), ("/anything/ü", "/anything/ü"),
      ])
    func location(kind: TransportKind, location: (String, String)) async throws {
      let api = try HttpbinAPI(kind)
      let echo = try await api.get(
        endpoint: "redirect-to", query: target(location.0, status: 302)
      ).decode(type: Echo.self).value
      let url = echo.url.removingPercentEncoding
      #expect(url == (api.baseURL + location.1).removingPercentEncoding)
    }

    @Test(
      "a Location that is not an http URL is refused, and no request is sent there",
      arguments: TransportKind.allCases,
      ["file:///etc/hostname", "ftp://127.0.0.1/x", "javascript:alert(1)", "mailto:a@b.example"])
    func otherSchemes(kind: TransportKind, location: String) async throws {
      let call = try HttpbinAPI(kind)
        .get(endpoint: "redirect-to", query: target(location, status: 302))
      let error = await #expect(throws: RESTError.self) { try await call.value }
      #expect(error?.kind == .redirect)
      #expect(error?.response?.headers["Location"] == location)
    }

    @Test("a redirect without a target is refused", arguments: TransportKind.allCases)
    func emptyLocation(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      for location in ["", "http://", "http:///x"] {
        let call = api.get(endpoint: "redirect-to", query: target(location, status: 302))
        let error = await #expect(throws: RESTError.self) { try await call.value }
        #expect(error?.kind == .redirect, "\(location)")
      }
    }

    @Test(
      "a redirect to a URL with a password is not followed", arguments: TransportKind.allCases)
    func userInfo(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let location = api.baseURL.replacingOccurrences(of: "//", with: "//user:s3cret@") + "/get"
      let call = api.get(endpoint: "redirect-to", query: target(location, status: 302))
      let error = await #expect(throws: RESTError.self) { try await call.value }
      #expect(error?.kind == .redirect)
      #expect(error?.description.contains("s3cret") == false)
    }

    @Test("secrets are kept in a redirect to the same origin", arguments: TransportKind.allCases)
    func sameOrigin(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let echo = try await secretCall(api, to: api.baseURL).decode(type: Echo.self).value
      #expect(echo.header("Authorization") == "Bearer s3cret")
      #expect(echo.header("Cookie") == "session=s3cret")
      #expect(echo.header("X-Call") == "7")
    }

    @Test(
      "secrets never follow a redirect to another origin",
      .enabled(if: Httpbin.addressOfOtherOrigin != nil, "the server has no second name here"),
      arguments: TransportKind.allCases)
    func otherOrigin(kind: TransportKind) async throws {
      let origin = try #require(Httpbin.addressOfOtherOrigin)
      let call = try secretCall(HttpbinAPI(kind), to: origin)
      let response = try await call.value
      #expect(response.url.absoluteString == origin + "/anything")
      let echo = try JSONDecoder().decode(Echo.self, from: response.data)
      for name in ["Authorization", "Cookie", "Proxy-Authorization"] {
        #expect(echo.header(name) == nil, "\(name)")
      }
      #expect(echo.header("X-Call") == "7")
    }

    private func secretCall(
      _ api: HttpbinAPI, to origin: String
    ) -> AnyPublisher<RESTResponse, any Error> {
      api.get(
        endpoint: "redirect-to", query: target(origin + "/anything", status: 307)
      ) { request in
        var request = request.addingBearerAuthorization(token: "s3cret")
        request.setValue("session=s3cret", forHTTPHeaderField: "Cookie")
        request.setValue("Basic s3cret", forHTTPHeaderField: "Proxy-Authorization")
        request.setValue("7", forHTTPHeaderField: "X-Call")
        return request
      }
    }

    private func redirected(
      _ api: HttpbinAPI, _ method: HTTPMethod, status: Int, body: Data?
    ) async throws -> Echo {
      try await api.request(
        method, endpoint: "redirect-to", query: target("/anything", status: status),
        body: body.map { .data($0) }
      ) { request in
        var request = request
        if body != nil { request.setValue("text/plain", forHTTPHeaderField: "Content-Type") }
        request.setValue("7", forHTTPHeaderField: "X-Call")
        return request
      }
      .decode(type: Echo.self).value
    }

    private func target(_ location: String, status: Int) -> QueryItems {
      ["url": location, "status_code": "\(status)"]
    }
  }
}
