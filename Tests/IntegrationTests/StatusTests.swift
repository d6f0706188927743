import Foundation
import RESTKit
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension IntegrationTests {
  @Suite("Statuses")
  struct Statuses {
    @Test("every status from 200 to 599 is delivered unchanged", arguments: TransportKind.allCases)
    func all(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      for status in 200...599 {
        // The transport itself: the verbs would follow the redirects.
        let url = try #require(URL(string: "\(api.baseURL)/status/\(status)"))
        let response = try await api.transport.response(for: URLRequest(url: url)).value
        #expect(response.statusCode == status)
        #expect(response.url == url)
        #expect(response.isSuccess == (status < 300))
        if [204, 205, 304].contains(status) { #expect(response.data.isEmpty) }
      }
    }

    @Test("every status is delivered to a POST with a body", arguments: TransportKind.allCases)
    func allForPost(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let followed = [301, 302, 303, 307]
      for status in stride(from: 200, through: 599, by: 7) where !followed.contains(status) {
        let response = try await api.post(endpoint: "status/\(status)", body: .data(Data("x".utf8)))
          .value
        #expect(response.statusCode == status)
      }
    }

    @Test("a HEAD receives every status, too", arguments: TransportKind.allCases)
    func allForHead(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      for status in [200, 204, 304, 401, 404, 407, 500] {
        let response = try await api.head(endpoint: "status/\(status)").value
        #expect(response.statusCode == status)
        #expect(response.data.isEmpty)
      }
    }

    @Test("the redirect statuses lead to their targets", arguments: TransportKind.allCases)
    func redirects(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      for status in [301, 302, 303, 307] {
        let response = try await api.get(endpoint: "status/\(status)").value
        #expect(response.statusCode == 200, "\(status)")
        #expect(response.url.path == "/get", "\(status)")
      }
      // 305 has a Location as well, but is no redirect (RFC 9110 §15.4.6); the others have none.
      for status in [300, 304, 305, 306, 308] {
        #expect(try await api.get(endpoint: "status/\(status)").value.statusCode == status)
      }
    }

    @Test("a status with a body and headers keeps them", arguments: TransportKind.allCases)
    func body(kind: TransportKind) async throws {
      let response = try await HttpbinAPI(kind).get(endpoint: "status/418").value
      #expect(String(data: response.data, encoding: .utf8)?.contains("teapot") == true)
      #expect(response.headers["X-More-Info"] == "http://tools.ietf.org/html/rfc2324")
    }

    @Test(
      "validateStatus turns a status into an error without the query",
      arguments: TransportKind.allCases)
    func validation(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let call = api.get(
        endpoint: "status/503", query: [URLQueryItem(name: "key", value: "s3cret")])
      let error = try #require(
        await #expect(throws: RESTError.self) { try await call.validateStatus().value })
      #expect(error.kind == .status(503))
      #expect(error.response?.statusCode == 503)
      #expect(
        error.description
          == "GET \(api.baseURL)/status/503: the server answered 503 Service Unavailable. "
          + "The server's own words are in the error's `problem` or `body`.")
      #expect(try await call.validateStatus(200...599).value.statusCode == 503)
    }

    @Test("a page that is not JSON is a malformed response", arguments: TransportKind.allCases)
    func malformed(kind: TransportKind) async throws {
      let call = try HttpbinAPI(kind).get(endpoint: "html")
      for attempt in [
        call.decode(type: Echo.self).map { _ in }.eraseToAnyPublisher(),
        call.unwrapResultJSON().map { _ in }.eraseToAnyPublisher(),
      ] {
        let error = await #expect(throws: RESTError.self) { try await attempt.value }
        #expect(error?.kind == .malformedResponse)
      }
    }

    @Test(
      "JSON of another shape is a decoding error with the location",
      arguments: TransportKind.allCases)
    func shape(kind: TransportKind) async throws {
      struct Show: Decodable, Sendable {
        struct Slides: Decodable, Sendable {
          let slides: [Slide]
        }
        struct Slide: Decodable, Sendable {
          let title: String
          let items: [String]
        }
        let slideshow: Slides
      }
      let call = try HttpbinAPI(kind).get(endpoint: "json").decode(type: Show.self)
      let error = await #expect(throws: RESTError.self) { try await call.value }
      #expect(error?.kind == .decoding)
      #expect(
        error?.description.contains("slideshow.slides[0]") == true, "\(String(describing: error))")
    }
  }
}
