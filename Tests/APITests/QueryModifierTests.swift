import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The modifier for the query")
struct QueryModifierTests {
  private func sent(
    _ endpoint: String = "a", query: QueryItems = [], _ modifier: @escaping RequestModifier
  ) async throws -> String? {
    let stubs = StubTransport(StubAPIResponse(request: StubRequest()))
    _ = try await TestAPI(transport: stubs)
      .get(endpoint: endpoint, query: query, requestModifier: modifier).value
    return stubs.requests.first?.url?.absoluteString
  }

  @Test("The modifier adds items to a URL without a query, and behind those of one")
  func adds() async throws {
    #expect(
      try await sent { $0.settingQuery(["page": 2, "q": "x"]) }
        == "https://api.example.com/v1/a?page=2&q=x")
    #expect(
      try await sent(query: ["q": "x"]) { $0.settingQuery(["page": 2]) }
        == "https://api.example.com/v1/a?q=x&page=2")
  }

  @Test("The modifier adds no empty item to an empty query")
  func emptyQuery() {
    let request = URL(string: "https://api.example.com/a?").map { URLRequest(url: $0) }
    #expect(
      request?.settingQuery(["page": 2]).url?.absoluteString == "https://api.example.com/a?page=2")
  }

  @Test("The modifier replaces all items of a name, however it is escaped, and no others")
  func replaces() async throws {
    let query: QueryItems = ["since": "1", "a b": "é", "Since": "2", "since": "3"]
    #expect(
      try await sent(query: query) { $0.settingQuery(["since": "4", "since": "5"]) }
        == "https://api.example.com/v1/a?a%20b=%C3%A9&Since=2&since=4&since=5")
    #expect(
      try await sent(query: query) { $0.settingQuery(["a b": "c"]) }
        == "https://api.example.com/v1/a?since=1&Since=2&since=3&a%20b=c")
  }

  @Test("The modifier escapes what a server would read in another way")
  func escapes() async throws {
    #expect(
      try await sent { $0.settingQuery(["since": "2026-11-28T13:53:39+01:00", "a&b": "c=d#"]) }
        == "https://api.example.com/v1/a?since=2026-11-28T13%3A53%3A39%2B01%3A00&a%26b=c%3Dd%23")
  }

  @Test("The modifier keeps bare names, empty items and a fragment, and with no items the URL")
  func keeps() {
    let url = "https://api.example.com/a?draft&=1&&x=1%2B2#part"
    let request = URL(string: url).map { URLRequest(url: $0) }
    #expect(request?.settingQuery([]).url?.absoluteString == url)
    #expect(
      request?.settingQuery(["page": 1]).url?.absoluteString
        == "https://api.example.com/a?draft&=1&&x=1%2B2&page=1#part")
    #expect(
      request?.settingQuery([URLQueryItem(name: "draft", value: nil)]).url?.absoluteString
        == "https://api.example.com/a?=1&&x=1%2B2&draft#part")
  }
}
