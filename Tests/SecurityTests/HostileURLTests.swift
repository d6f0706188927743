import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import RESTKit

/// A line of `SEC-03-queries.jsonl`: pairs of a name and a value, or none, and the query they make.
struct HostileQuery: Decodable, Sendable {
  let query: [[String?]]
  let sent: String?

  static let all = Corpus.entries("SEC-03-queries", of: HostileQuery.self)

  var items: [URLQueryItem] {
    query.map { pair in
      URLQueryItem(name: (pair.first ?? nil) ?? "", value: pair.dropFirst().first ?? nil)
    }
  }
}

/// A line of `SEC-04-base-urls.jsonl`: a base, and the URL of its endpoint `users` or why it is
/// refused.
struct HostileBase: Decodable, Sendable {
  let base: String
  let times: Int?
  let sent: String?
  let refused: String?

  static let all = Corpus.entries("SEC-04-base-urls", of: HostileBase.self)
}

@Suite("Hostile queries and base URLs, through the verbs", .timeLimit(.minutes(10)))
struct HostileURLTests {
  @Test("SEC-03: each query is sent as stated, and a second parser reads the same items")
  func query() async throws {
    for entry in HostileQuery.all {
      let transport = AnsweringTransport()
      let url = try await TestAPI(transport: transport)
        .get(endpoint: "users", query: QueryItems(entry.content.items)).value.url
      let expected =
        "https://api.example.com/v1/users" + (entry.content.sent.map { "?" + $0 } ?? "")
      #expect(url.absoluteString == expected, sourceLocation: entry.location)
      let read = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false)).queryItems
      #expect((read ?? []) == entry.content.items, sourceLocation: entry.location)
    }
  }

  @Test("SEC-03: the server reads the query that is sent", arguments: TransportKind.allCases)
  func queryOnTheWire(kind: TransportKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    for entry in HostileQuery.all {
      _ = try await api.get(endpoint: "users", query: QueryItems(entry.content.items)).value
      #expect(server.requests.last?.query == entry.content.sent, sourceLocation: entry.location)
    }
  }

  @Test("SEC-04: each base gives exactly one URL, or an error that names the part and the remedy")
  func base() async throws {
    for entry in HostileBase.all {
      let transport = AnsweringTransport()
      let base = String(repeating: entry.content.base, count: entry.content.times ?? 1)
      let publisher = TestAPI(baseURL: base, transport: transport).get(endpoint: "users")
      if let sent = entry.content.sent {
        let url = try await publisher.value.url.absoluteString
        #expect(url == sent, sourceLocation: entry.location)
      } else {
        let error = try await restError(of: publisher, sourceLocation: entry.location)
        expectRefusal(
          error, .invalidBaseURL, "base URL", entry.content.refused, at: entry.location)
        #expect(transport.requests.isEmpty, sourceLocation: entry.location)
      }
    }
  }
}
