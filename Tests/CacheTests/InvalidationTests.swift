import Foundation
import Testing

@testable import RESTKit

@Suite("Invalidation by unsafe methods")
struct InvalidationTests {
  private func targets(
    _ headers: HTTPHeaders = [:], method: HTTPMethod = .post, status: Int = 200
  ) throws -> [String] {
    var bench = RuleBench()
    bench.target = "https://h.example/a/b?c#d"
    return Invalidation.targets(
      of: try bench.request(method: method), answeredBy: try bench.head(headers, status: status))
  }

  @Test(
    "§4.4: unsafe and unknown methods invalidate the target",
    arguments: [
      ("POST", true), ("PUT", true), ("DELETE", true), ("PATCH", true), ("M-SEARCH", true),
      ("get", true), ("GET", false), ("HEAD", false), ("OPTIONS", false), ("TRACE", false),
    ])
  func methods(method: String, isUnsafe: Bool) throws {
    let targets = try targets(method: HTTPMethod(method))
    #expect(targets == (isUnsafe ? ["https://h.example/a/b?c"] : []))
  }

  @Test(
    "§4.4: a status without an error invalidates",
    arguments: [
      (200, true), (201, true), (204, true), (303, true), (399, true), (400, false), (404, false),
      (500, false), (503, false), (100, false),
    ])
  func statuses(status: Int, isInvalid: Bool) throws {
    #expect(try targets(status: status).isEmpty == !isInvalid)
  }

  @Test(
    "§4.4: Location and Content-Location of the same origin are invalidated, and of no other",
    arguments: [
      ("x", "https://h.example/a/x"), ("/x?y#z", "https://h.example/x?y"), ("", nil),
      ("https://H.EXAMPLE:443/x", "https://h.example/x"), ("http://h.example/x", nil),
      ("https://other.example/x", nil), ("https://h.example:8443/x", nil),
      ("//h.example/x", "https://h.example/x"),
      ("../../x", "https://h.example/x"), ("b?c", nil), ("mailto:a@h.example", nil),
    ])
  func locations(location: String, target: String?) throws {
    let expected = ["https://h.example/a/b?c"] + (target.map { [$0] } ?? [])
    #expect(try targets(["Location": location]) == expected)
    #expect(try targets(["Content-Location": location]) == expected)
  }

  @Test("§4.4: Location and Content-Location are both invalidated")
  func both() throws {
    #expect(
      try targets(["Location": "x", "Content-Location": "y"]) == [
        "https://h.example/a/b?c", "https://h.example/a/x", "https://h.example/a/y",
      ])
  }
}

@Suite("The key of stored responses")
struct CacheKeyTests {
  @Test(
    "An escape that is cut stays as it is",
    arguments: ["/a%", "/a%4", "/%", "%zz", "/%4%"])
  func cutEscapes(text: String) {
    #expect(PercentEncoding.normalized(text[...]) == nil)
    #expect(PercentEncoding.normalized("/%41\(text)") == "/A\(text)")
  }

  @Test(
    "§2: equivalent URLs have one key (RFC 9110 §4.2.3)",
    arguments: [
      ("https://h.example/a", "https://h.example/a"), ("http://h.example/", "http://h.example/"),
      ("https://h.example/a#b", "https://h.example/a"),
      ("https://H.example/", "https://h.example/"),
      ("https://h.example./a", "https://h.example./a"),
      ("HTTPS://H.Example/A?B#c", "https://h.example/A?B"),
      ("https://h.example", "https://h.example/"), ("https://h.example?a", "https://h.example/?a"),
      ("https://h.example#a", "https://h.example/"),
      ("https://h.example:443/a", "https://h.example/a"),
      ("http://h.example:80/a", "http://h.example/a"),
      ("https://h.example:80/a", "https://h.example:80/a"),
      ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"),
      ("https://h.example/a?", "https://h.example/a?"),
      ("https://h.example/%7ea", "https://h.example/~a"),
      ("https://h.example/%c3%a4/%2f?%e4=%41", "https://h.example/%C3%A4/%2F?%E4=A"),
      ("https://h.example/%2525", "https://h.example/%2525"),
    ])
  func targets(text: String, expected: String) throws {
    let url = try #require(URL(string: text))
    #expect(CacheKey(url, partition: .anonymous)?.url == expected)
  }

  @Test(
    "§2: nothing is stored for other schemes or for URLs with user info",
    arguments: [
      "ftp://h.example/a", "file:///a", "https://u:p@h.example/a", "https://u@h.example/", "a/b",
    ])
  func refused(text: String) throws {
    #expect(CacheKey(try #require(URL(string: text)), partition: .anonymous) == nil)
  }
}
