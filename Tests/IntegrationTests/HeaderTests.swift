import Foundation
import RESTKit
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension IntegrationTests {
  @Suite("Headers")
  struct Headers {
    @Test("a server reads the header that was set", arguments: TransportKind.allCases)
    func roundTrip(kind: TransportKind) async throws {
      let values = [
        "X-Plain": "value", "X-Blanks": "two  blanks", "X-Tab": "a\tb", "X-Comma": "a, b,c",
        "X-Quotes": #""quoted" 'text' \"#, "X-Signs": "a=b; c:d&e%20f+g#h",
        "X-Long":
          String(repeating: "0123456789", count: 400), "X-Unicode": "Grüße 日本語 😀",
      ]
      let echo = try await echo(kind, values)
      for (name, value) in values {
        #expect(echo.utf8Header(name) == value, "\(name)")
      }
    }

    @Test("an empty header arrives empty and is not omitted", arguments: TransportKind.allCases)
    func emptyValue(kind: TransportKind) async throws {
      #expect(try await echo(kind, ["X-Empty": ""]).header("X-Empty") == "")
    }

    @Test("spaces around a header's value are removed", arguments: TransportKind.allCases)
    func blanks(kind: TransportKind) async throws {
      #expect(try await echo(kind, ["X-Trimmed": "  a b  "]).header("X-Trimmed") == "a b")
    }

    @Test(
      "the user agent is RESTKit, Accept is any type, and no Content-Type is invented",
      arguments: TransportKind.allCases)
    func defaults(kind: TransportKind) async throws {
      let echo = try await HttpbinAPI(kind).post(
        endpoint: "anything", body: .data(Data("a=1".utf8))
      )
      .decode(type: Echo.self).value
      #expect(echo.header("User-Agent")?.hasPrefix("RESTKit/") == true)
      #expect(echo.header("Accept") == "*/*")
      #expect(echo.header("Content-Type") == nil)
      #expect(echo.data == "a=1")
      #expect(echo.form == [:])
    }

    @Test("a request's own headers replace the defaults", arguments: TransportKind.allCases)
    func replacedDefaults(kind: TransportKind) async throws {
      let echo = try await echo(kind, ["user-agent": "Mine/2", "accept": "text/csv"])
      #expect(echo.header("User-Agent") == "Mine/2")
      #expect(echo.header("Accept") == "text/csv")
    }

    @Test("a response's repeated headers are all delivered", arguments: TransportKind.allCases)
    func repeatedResponseHeaders(kind: TransportKind) async throws {
      let query = ["X-Multi", "X-Single", "X-Multi", "Set-Cookie", "Set-Cookie"]
      let values = ["one", "alone", "two", "a=1; Path=/", "b=2; Path=/"]
      let response = try await HttpbinAPI(kind)
        .get(
          endpoint: "response-headers",
          query: QueryItems(zip(query, values).map(URLQueryItem.init(name:value:)))
        ).value
      #expect(response.headers["x-multi"] == "one, two")
      #expect(response.headers["X-SINGLE"] == "alone")
      let cookies = response.headers.values(for: "Set-Cookie")
      if kind == .urlSession {
        // Foundation joins the lines of one name.
        #expect(cookies == ["a=1; Path=/, b=2; Path=/"])
      } else {
        #expect(cookies == ["a=1; Path=/", "b=2; Path=/"])
        #expect(response.headers.values(for: "X-Multi") == ["one", "two"])
      }
    }

    @Test(
      "the response in Foundation's type has the same content", arguments: TransportKind.allCases)
    func foundationResponse(kind: TransportKind) async throws {
      let response = try await HttpbinAPI(kind)
        .get(endpoint: "response-headers", query: ["X-One": "1"]).value
      #expect(response.response.statusCode == 200)
      #expect(response.response.value(forHTTPHeaderField: "x-one") == "1")
      #expect(response.response.url == response.url)
    }

    private func echo(_ kind: TransportKind, _ headers: [String: String]) async throws -> Echo {
      try await HttpbinAPI(kind)
        .get(endpoint: "anything") { request in
          var request = request
          for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
          return request
        }
        .decode(type: Echo.self).value
    }
  }
}
