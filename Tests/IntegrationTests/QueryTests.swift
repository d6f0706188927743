import Foundation
import RESTKit
import Streams
import Testing

extension IntegrationTests {
  @Suite("Queries and paths")
  struct Queries {
    @Test("a server reads from a query what was put into it", arguments: TransportKind.allCases)
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

    @Test("names are encoded as values are", arguments: TransportKind.allCases)
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

    @Test("a name without a value arrives", arguments: TransportKind.allCases)
    func bareName(kind: TransportKind) async throws {
      let echo = try await echo(kind, [URLQueryItem(name: "verbose", value: nil)])
      #expect(echo.args == ["verbose": [""]])
      #expect(echo.url.hasSuffix("anything?verbose"))
    }

    @Test("a query of 3,000 bytes arrives whole", arguments: TransportKind.allCases)
    func longQuery(kind: TransportKind) async throws {
      let text = String(repeating: "0123456789", count: 300)
      let echo = try await echo(kind, [URLQueryItem(name: "q", value: text)])
      #expect(echo.args == ["q": [text]] as [String: Echo.Values])
    }

    @Test(
      "the characters of an endpoint arrive encoded once",
      arguments: TransportKind.allCases,
      [
        ("anything/two words", "anything/two%20words"),
        ("anything/Grüße", "anything/Gr%C3%BC%C3%9Fe"),
        ("anything/a%20b", "anything/a%20b"),
        ("anything/100%25", "anything/100%25"),
        ("anything/a+b;c=d@e", "anything/a+b;c=d@e"),
        ("anything/end/", "anything/end/"),
      ])
    func path(kind: TransportKind, endpoint: (String, String)) async throws {
      let echo = try await HttpbinAPI(kind).get(endpoint: endpoint.0).decode(type: Echo.self).value
      #expect(echo.url.hasSuffix("/" + endpoint.1), "\(echo.url)")
    }

    private func echo(_ kind: TransportKind, _ query: [URLQueryItem]) async throws -> Echo {
      try await HttpbinAPI(kind).get(endpoint: "anything", query: query)
        .decode(type: Echo.self).value
    }
  }
}
