import Foundation
import Testing

@testable import RESTKit

@Suite("SEC-17: the URL of a Location")
struct RedirectTargetTests {
  private func target(_ location: String) throws -> String? {
    let source = try #require(URL(string: "https://api.example.com/v1/a"))
    return RedirectTarget.url(location, from: source)?.absoluteString
  }

  @Test(
    "An empty port is removed, and any other port is kept",
    arguments: [
      ("https://h:/x", "https://h/x"), ("//h:", "https://h/"),
      ("https://h:8443/x", "https://h:8443/x"),
    ])
  func port(location: String, expected: String) throws {
    #expect(try target(location) == expected)
  }

  @Test(
    "A percent sign that begins no escape is escaped, as in browsers it is kept",
    arguments: [
      ("/a%zz", "/a%25zz"), ("/a%z1", "/a%25z1"), ("/a%1z", "/a%251z"), ("/a%", "/a%25"),
      ("/a%2", "/a%252"), ("/%20%zz", "/%20%25zz"), ("/x?%zz", "/x?%25zz"), ("/x#%zz", "/x#%25zz"),
      ("/100%/50%25%", "/100%25/50%25%25"), ("/%%41", "/%25%41"), ("/%\u{e9}", "/%25%C3%A9"),
    ])
  func barePercent(location: String, expected: String) throws {
    #expect(try target("https://h" + location) == "https://h" + expected)
  }

  @Test("A percent sign in a host makes the Location invalid", arguments: ["h%", "h%zz", "h%2"])
  func hostPercent(host: String) throws {
    #expect(try target("https://\(host)/a") == nil)
  }
}
