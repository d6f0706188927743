import Foundation
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("SEC-03: the query")
struct QueryEncodingTests {
  private func query(_ items: [URLQueryItem]) throws -> String {
    let url = try BaseURL("https://h").url(endpoint: "p", query: QueryItems(items)).absoluteString
    #expect(url.hasPrefix("https://h/p"))
    return String(url.dropFirst("https://h/p".count))
  }

  @Test("A URL without query items has no query")
  func none() throws {
    #expect(try query([]) == "")
  }

  @Test(
    "A query escapes every character that is not unreserved",
    arguments: [
      ("a&b", "a%26b"), ("a=b", "a%3Db"), ("a+b", "a%2Bb"), ("a b", "a%20b"), ("100%", "100%25"),
      ("%20", "%2520"), ("a;b", "a%3Bb"), ("[]", "%5B%5D"), ("/?:@", "%2F%3F%3A%40"),
      ("#", "%23"), ("'\"", "%27%22"), ("!$()*,", "%21%24%28%29%2A%2C"), ("-._~", "-._~"),
      ("é", "%C3%A9"), ("e\u{301}", "e%CC%81"), ("😀", "%F0%9F%98%80"), ("\0", "%00"),
      ("\r\n", "%0D%0A"), ("\\", "%5C"), ("AZaz09", "AZaz09"), ("\u{2028}", "%E2%80%A8"),
    ])
  func escapes(text: String, expected: String) throws {
    #expect(try query([URLQueryItem(name: text, value: text)]) == "?\(expected)=\(expected)")
  }

  @Test("A query keeps order, repeated names, empty names, empty values and missing values")
  func shape() throws {
    let items = [
      URLQueryItem(name: "b", value: "2"), URLQueryItem(name: "a", value: "1"),
      URLQueryItem(name: "b", value: "2"), URLQueryItem(name: "tag[]", value: ""),
      URLQueryItem(name: "flag", value: nil), URLQueryItem(name: "", value: "x"),
      URLQueryItem(name: "", value: ""),
    ]
    #expect(try query(items) == "?b=2&a=1&b=2&tag%5B%5D=&flag&=x&=")
  }

  @Test("A second parser reads the same items from a query", arguments: 0..<4)
  func roundTrip(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let pieces = ["&", "=", "+", "%", ";", "[]", "a", "é", "😀", " ", "#", "?", "/", "%2B", "\0"]
    func text() -> String {
      (0..<Int.random(in: 0...4, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }.joined()
    }
    for _ in 0..<500 {
      let items = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
        // Of "?" alone Foundation makes no item, so a name without a value is not empty here.
        Bool.random(using: &generator)
          ? URLQueryItem(name: text(), value: text()) : URLQueryItem(name: "n" + text(), value: nil)
      }
      let url = try BaseURL("https://h").url(endpoint: "p", query: QueryItems(items))
      let components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
      #expect(components.queryItems == items)
      #expect(components.path == "/p")
      #expect(components.fragment == nil)
      #expect(try formParsed(url.absoluteString) == items)
    }
  }

  /// Reads a query as servers do, `+` as a space among others.
  private func formParsed(_ url: String) throws -> [URLQueryItem] {
    let query = url.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    func decoded(_ text: Substring) throws -> String {
      try #require(text.replacing("+", with: " ").removingPercentEncoding)
    }
    return try query.split(omittingEmptySubsequences: false) { $0 == "&" || $0 == ";" }.map {
      let halves = $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return URLQueryItem(
        name: try decoded(halves[0]), value: halves.count == 2 ? try decoded(halves[1]) : nil)
    }
  }

  @Test("A query over a megabyte is refused, and its text is not shown")
  func length() throws {
    let base = try BaseURL("https://h")
    let fits = [URLQueryItem(name: "a", value: String(repeating: "x", count: 1_000_000))]
    #expect(
      try base.url(endpoint: "", query: QueryItems(fits)).absoluteString.utf8.count == 1_000_013)
    do throws(URLJoinError) {
      _ = try base.url(endpoint: "", query: QueryItems(fits + fits))
      Issue.record("a query of 2 MB was accepted")
    } catch {
      #expect(error.part == .query)
      #expect(
        error.description == "query is longer than 1048576 bytes: send long data as a body")
    }
  }
}
