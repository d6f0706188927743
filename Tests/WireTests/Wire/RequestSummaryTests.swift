import Fixtures
import Foundation
import RESTKit
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The text of a request")
struct RequestSummaryTests {
  @Test(
    "User info, query and fragment are left out; scheme, host, port and path stay",
    arguments: [
      ("https://h.example/a/b", "https://h.example/a/b"),
      ("http://h:8080/a?x=canary", "http://h:8080/a"),
      ("http://h/a#canary", "http://h/a"),
      ("http://h?canary", "http://h"),
      ("http://canary@h/a", "http://h/a"),
      ("http://canary:canary@h:1/a@b", "http://h:1/a@b"),
      ("http://canary:can%40ary@h/", "http://h/"),
      ("http://h/a?u=x@canary", "http://h/a"),
      ("http://[::1]:80/a", "http://[::1]:80/a"),
      ("http://h/a%20b", "http://h/a%20b"),
      ("//canary:canary@h/a", "//h/a"), ("//canary@h/a?x", "//h/a"), ("//h/a@b?x", "//h/a@b"),
    ])
  func location(url: String, location: String) throws {
    let url = try #require(URL(string: url))
    let summary = RequestSummary(method: .put, url: url)
    #expect(summary.location == location)
    #expect(summary.description == "PUT \(location)")
    #expect("\(summary)" == summary.description)
  }

  @Test(
    "The path is the location without scheme, host and port",
    arguments: [
      ("https://h.example/a/b?canary", "/a/b"), ("http://h:8080", "/"), ("http://h/", "/"),
      ("http://h/a://b", "/a://b"),
    ])
  func path(url: String, path: String) throws {
    let url = try #require(URL(string: url))
    #expect(RequestSummary(method: .get, url: url).path == path)
  }

  @Test("A request without a URL says so, and one without a method is a GET")
  func missing() throws {
    #expect(RequestSummary(method: .get, url: nil).description == "GET (no URL)")
    var request = URLRequest(url: try #require(URL(string: "http://h/")))
    #expect(RequestSummary(request).method == .get)
    request.httpMethod = "PATCH"
    #expect(RequestSummary(request).description == "PATCH http://h/")
    request.url = nil
    #expect(RequestSummary(request).description == "PATCH (no URL)")
  }

  @Test("No text of a summary shows the parts left out")
  func canary() throws {
    let url = try #require(URL(string: "http://canary:canary@h/x?canary#canary"))
    for text in allTexts(of: RequestSummary(method: .get, url: url)) {
      #expect(!text.contains("canary"), "\(text)")
    }
  }
}
