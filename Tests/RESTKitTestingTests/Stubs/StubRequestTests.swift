import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Requests that a stub matches")
struct StubRequestTests {
  private func matches(
    _ stub: String, _ url: String, stubMethod: HTTPMethod = .get, method: String? = nil
  ) throws -> Bool {
    let stubs = StubTransport(
      StubAPIResponse(request: StubRequest(stubMethod, urlString: stub)))
    var request = URLRequest(url: try #require(URL(string: url)))
    if let method { request.httpMethod = method }
    let subscription = stubs.response(for: request).sink { _ in }
    withExtendedLifetime(subscription) {}
    return stubs.unusedStubs.isEmpty
  }

  @Test(
    "Scheme, host, port and path are compared, scheme and host in any case",
    arguments: [
      ("https://h.example/a", "https://h.example/a"),
      ("HTTPS://H.Example/a", "https://h.example/a"),
      ("https://h.example", "https://h.example/"), ("http://h:8080/a", "http://h:8080/a"),
      ("http://h/a%20b", "http://h/a%20b"), ("http://h/a", "http://h/a#fragment"),
      ("http://h/rooms/!a:m/b", "http://h/rooms/%21a%3Am/b"),
      ("http://h/%7Ea/%c3%a9", "http://h/~a/%C3%A9"), ("http://h/a%2Fb", "http://h/a%2fb"),
      ("http://h/%ff%41", "http://h/%FFA"),
    ])
  func equal(stub: String, url: String) throws {
    #expect(try matches(stub, url))
  }

  @Test(
    "A request that differs in one of them does not match",
    arguments: [
      ("https://h/a", "http://h/a"), ("https://h/a", "https://g/a"),
      ("https://h/a", "https://h:8443/a"), ("https://h/a", "https://h/a/"),
      ("https://h/a", "https://h/A"), ("https://h/a", "https://h/a/b"),
      ("https://h/a", "https://h/"),
      ("https://h/a%2Fb", "https://h/a/b"), ("https://h/a%2525", "https://h/a%25"),
      ("https://h/%C3%A9", "https://h/e%CC%81"), ("https://h/%FF", "https://h/%FE"),
      ("https://h/%25ff", "https://h/%ff"),
      ("/a", "https://h/a"), ("", "https://h/"),
      ("http://[", "https://h/"), ("not a url", "https://h/"),
      ("http://[?q=é", "https://h/?q=é"), ("http://[/?q=a b&%zz=%", "https://h/?q=a"),
    ])
  func different(stub: String, url: String) throws {
    #expect(try !matches(stub, url))
  }

  @Test(
    "A pattern compares segments decoded as well, and an encoded asterisk is none",
    arguments: [
      ("/rooms/!a:m/*", "/rooms/%21a%3Am/b", true), ("/rooms/%21a/**", "/rooms/!a", true),
      ("/a/*", "/a/b%2Fc", true), ("/a/*", "/a/b/c", false), ("/%2A", "/b", false),
      ("/%2A", "/*", true), ("/%2A%2A/c", "/a/b/c", false),
    ])
  func pattern(pattern: String, path: String, isMatch: Bool) throws {
    let stub = StubRequest(.get, path: pattern)
    let stubs = StubTransport(StubAPIResponse(request: stub))
    let request = URLRequest(url: try #require(URL(string: "https://h\(path)")))
    let subscription = stubs.response(for: request).sink { _ in }
    withExtendedLifetime(subscription) {}
    #expect(stubs.unusedStubs.isEmpty == isMatch)
  }

  @Test("The method must be equal, and a request without one is a GET")
  func method() throws {
    #expect(try matches("http://h/", "http://h/", stubMethod: .put, method: "PUT"))
    let query = HTTPMethod("QUERY")
    #expect(try matches("http://h/", "http://h/", stubMethod: query, method: "QUERY"))
    #expect(try !matches("http://h/", "http://h/", stubMethod: query, method: "query"))
    #expect(try !matches("http://h/", "http://h/", stubMethod: .post))
    #expect(try matches("http://h/", "http://h/"))
  }

  @Test(
    "A stub without a query matches any query",
    arguments: ["http://h/a", "http://h/a?x=1", "http://h/a?x=1&x=2#f"])
  func anyQuery(url: String) throws {
    #expect(try matches("http://h/a", url))
  }

  @Test(
    "The items of a query are compared decoded, in any order, with duplicates counted",
    arguments: [
      ("x=1", "x=1"), ("x=1&y=2", "y=2&x=1"), ("x=1&x=2", "x=2&x=1"), ("x", "x"), ("x=", "x="),
      ("x=a%20b", "x=a%20b"), ("x=a+b", "x=a%20b"), ("x=a%2Bb", "x=a%2bb"), ("x=%FF", "x=%ff"),
      ("x=a%26b", "x=a%26b"), ("", ""), ("x=%C3%A9", "x=%c3%a9"),
    ])
  func equalQuery(stub: String, query: String) throws {
    #expect(try matches("http://h/a?\(stub)", "http://h/a?\(query)"))
  }

  @Test(
    "A request with other items does not match",
    arguments: [
      ("x=1", ""), ("x=1", "x=2"), ("x=1", "y=1"), ("x=1", "x=1&y=2"), ("x=1&y=2", "x=1"),
      ("x=1&x=1", "x=1"), ("x", "x="), ("", "x=1"), ("x=a%26y=b", "x=a&y=b"), ("X=1", "x=1"),
      ("a%3Db=c", "a=b%3Dc"), ("x", "x=%00"), ("x=a%2Bb", "x=a+b"), ("x=a+b", "x=a%2Bb"),
      ("x=%C3%A9", "x=e%CC%81"),
      ("%C3%A9=1", "e%CC%81=1"), ("x=%FF", "x=%FE"), ("x=%FF", "x=%25FF"), ("x=%25FF", "x=%FF"),
      ("x", "x=(no%20value)"), ("x=(no%20value)", "x"), ("x=%E9&x=%FF", "x=%E9&x=%E9"),
    ])
  func otherQuery(stub: String, query: String) throws {
    #expect(try !matches("http://h/a?\(stub)", "http://h/a\(query.isEmpty ? "" : "?\(query)")"))
  }

  @Test("The text of a stub is its method and URL")
  func description() {
    let request = StubRequest(.patch, urlString: "https://h/a?x=1")
    #expect("\(request)" == "PATCH https://h/a?x=1")
    #expect("\(StubRequest())" == "any method any URL")
    #expect("\(StubRequest(.get, host: "h", path: "/a/*"))" == "GET h/a/*")
  }
}
