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
    "A broken escape makes the Location invalid, at any place",
    arguments: ["/a%zz", "/a%z1", "/a%1z", "/a%", "/a%2", "/%20%zz", "/x?%zz", "/x#%zz"])
  func brokenEscape(location: String) throws {
    #expect(try target(location) == nil)
  }
}
