import Foundation
import RESTKit
import Streams
import Testing

extension IntegrationTests {
  @Suite("Queries and paths")
  struct Queries {
    @Test("a server reads the query that was set", arguments: TransportKind.allCases)
    func roundTrip(kind: TransportKind) async throws {
      let texts = [
        "a&b", "a=b", "a+b", "100%", "%2B", "two words", " ", "#?/:@;,'\"<>[]{}|\\^`~!$*()",
        "Grüße", "日本語", "😀👩‍👩‍👧", "e\u{301}", "line\r\nbreak\ttab", "\u{7F}", "",
      ]
      let items = texts.enumerated().map { URLQueryItem(name: "k\($0)", value: $1) }
      let echo = try await echo(kind, items)
      #expect(echo.args.count == texts.count)
      for item in items {
        // Compared as scalars: Swift takes composed and decomposed letters for equal.
        let values = echo.args[item.name]?.all.map { Array($0.unicodeScalars) }
        #expect(values == [Array((item.value ?? "").unicodeScalars)])
      }
    }

    @Test("names are encoded like values", arguments: TransportKind.allCases)
    func names(kind: TransportKind) async throws {
      let names = ["a b", "a+b", "a&b=c", "ключ", "list[]", "%"]
      let echo = try await echo(kind, names.map { URLQueryItem(name: $0, value: "1") })
      #expect(Set(echo.args.keys) == Set(names))
    }

    @Test("repeated names keep all their values in order", arguments: TransportKind.allCases)
    func repeatedNames(kind: TransportKind) async throws {
      let echo = try await echo(
        kind, ["2", "1", "", "2"].map { URLQueryItem(name: "id", value: $0) })
      #expect(echo.args == ["id": ["2", "1", "", "2"]])
    }

    @Test(
      "a name without a value arrives bare, and one with an empty value keeps its =",
      arguments: TransportKind.allCases)
    func bareName(kind: TransportKind) async throws {
      let echo = try await echo(
        kind, [URLQueryItem(name: "bare", value: nil), URLQueryItem(name: "empty", value: "")])
      #expect(echo.args == ["bare": [""], "empty": [""]])
      #expect(echo.url.hasSuffix("anything?bare&empty="))
    }

    @Test("a query of 3,000 bytes arrives whole", arguments: TransportKind.allCases)
    func longQuery(kind: TransportKind) async throws {
      let text = String(repeating: "0123456789", count: 300)
      let echo = try await echo(kind, [URLQueryItem(name: "q", value: text)])
      #expect(echo.args == ["q": [text]] as [String: Echo.Values])
    }

    @Test(
      "the characters of an endpoint arrive as intended",
      arguments: TransportKind.allCases,
      [
        ("anything/two%20words", "anything/two words"), ("anything/Grüße", "anything/Grüße"),
        ("anything/Gr%C3%BC%C3%9Fe", "anything/Grüße"), ("anything/100%25", "anything/100%"),
        ("anything/%2525", "anything/%25"), ("anything/a+b;c=d@e:f", "anything/a+b;c=d@e:f"),
        ("/anything/end/", "anything/end/"),
      ])
    func path(kind: TransportKind, endpoint: (sent: String, read: String)) async throws {
      let api = try HttpbinAPI(kind)
      let echo = try await api.get(endpoint: endpoint.sent).decode(type: Echo.self).value
      // httpbin shows some of the path decoded and some of it not.
      let read = "\(api.baseURL)/\(endpoint.read)"
      #expect(echo.url == read || echo.url.removingPercentEncoding == read, "\(echo.url)")
    }

    private func echo(_ kind: TransportKind, _ query: [URLQueryItem]) async throws -> Echo {
      try await HttpbinAPI(kind).get(endpoint: "anything", query: QueryItems(query))
        .decode(type: Echo.self).value
    }
  }
}
