import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("Links are read from a message's header (RFC 8288)")
struct HTTPLinkTests {
  private func links(_ lines: String...) -> [HTTPLink] {
    HTTPHeaders(lines.map { ("Link", $0) }).links
  }

  @Test("A link has a target and relations")
  func single() throws {
    let link = try #require(links(#"<https://api.example.com/orders?page=2>; rel="next""#).first)
    #expect(link.target == "https://api.example.com/orders?page=2")
    #expect(link.relations == ["next"])
    #expect(link.anchor == nil)
  }

  @Test("Links on one line or on several are read in order")
  func several() {
    let targets = links("<a>; rel=first, <b>; rel=next", ",, <c>;rel=last ,").map(\.target)
    #expect(targets == ["a", "b", "c"])
  }

  @Test("Commas and semicolons in angle brackets and in quotes do not separate")
  func separators() {
    let read = links(#"</a,b;c>; title="d, <e>; rel=\"x\""; rel=next, <f>; rel=prev"#)
    #expect(read.map(\.target) == ["/a,b;c", "f"])
    #expect(read.first?["title"] == #"d, <e>; rel="x""#)
    #expect(read.map(\.relations) == [["next"], ["prev"]])
  }

  @Test("One parameter may have several relations, in any case")
  func relations() throws {
    let link = try #require(links("<a>; REL=\"Next \t https://example.com/rels/More\"").first)
    #expect(link.relations == ["next", "https://example.com/rels/more"])
    #expect(link.isRelated(by: "NEXT"))
    #expect(link.isRelated(by: "https://example.com/rels/More"))
    #expect(!link.isRelated(by: "nex"))
  }

  @Test("The first rel counts, and rel* and rev are ignored")
  func otherRelations() {
    #expect(links("<a>; rel=prev; rel=next").map(\.relations) == [["prev"]])
    #expect(links("<a>; rel*=UTF-8''next; rev=next").map(\.relations) == [[]])
    #expect(links("<a>").map(\.relations) == [[]])
  }

  @Test("Parameters keep their order, their duplicates and their empty values")
  func parameters() throws {
    let link = try #require(
      links(#"<a> ; rel = next ;; crossorigin ; title="" ; title=b; type=text/html"#).first)
    #expect(link.parameters.map(\.name) == ["rel", "crossorigin", "title", "title", "type"])
    #expect(link.parameters.map(\.value) == ["next", "", "", "b", "text/html"])
    #expect(link["Title"] == "")
    #expect(link["hreflang"] == nil)
  }

  @Test(
    "Text that is not a link ends its line, and the links before it count",
    arguments: [
      "<a>; rel=next, b", "<a>; rel=next, <b", "<a>; rel=next <b>; rel=next",
      "<a>; rel=next, b, <c>; rel=next",
    ])
  func malformed(line: String) {
    #expect(links(line, "<d>").map(\.target) == ["a", "d"])
  }

  @Test("A quote without an end extends to the end of the line")
  func openQuote() {
    #expect(links(#"<a>; title="b, <c>; rel=next"#).map(\.target) == ["a"])
    #expect(links(#"<a>; title="b\"#).first?["title"] == "b\\")
  }

  @Test("A message without the field has no links")
  func none() {
    #expect(HTTPHeaders().links.isEmpty)
    #expect(links("", " ").isEmpty)
  }

  @Test(
    "A target is resolved against the URL of the response",
    arguments: [
      ("https://other.example/x", "https://other.example/x"),
      ("?page=2", "https://api.example.com/v1/orders?page=2"),
      ("more", "https://api.example.com/v1/more"), ("../v2/a", "https://api.example.com/v2/a"),
      ("//cdn.example.com/a", "https://cdn.example.com/a"),
      ("", "https://api.example.com/v1/orders?page=1"),
      ("/ü b", "https://api.example.com/%C3%BC%20b"), ("/%zz", "https://api.example.com/%25zz"),
    ])
  func resolution(target: String, url: String) throws {
    let base = try #require(URL(string: "https://api.example.com/v1/orders?page=1"))
    #expect(links("<\(target)>").first?.url(relativeTo: base)?.absoluteString == url)
  }

  @Test(
    "A target that is not an http URL has no URL",
    arguments: ["mailto:a@b.c", "https://", "https://h%zz/"])
  func unresolvable(target: String) throws {
    let base = try #require(URL(string: "https://api.example.com/v1/orders"))
    #expect(links("<\(target)>").first?.url(relativeTo: base) == nil)
  }

  @Test("No text of a link shows its query")
  func redacted() throws {
    let link = try #require(links("<https://a.example/b?token=s3cret#s3cret>; rel=next").first)
    #expect(link.description == #"<https://a.example/b…>; rel="next""#)
    #expect(link.debugDescription == link.description)
    var dumped = ""
    dump(link, to: &dumped)
    #expect(!dumped.contains("s3cret"))
    #expect(links("<b>; rel=up").first?.description == #"<b>; rel="up""#)
  }

  @Test(
    "No text of a link shows its user info",
    arguments: ["https://rex:s3cret@a.example/b@c", "//s3cret@s3cret@a.example/b@c"])
  func userInfo(target: String) throws {
    let link = try #require(links("<\(target)>; rel=next").first)
    #expect(!link.description.contains("s3cret"))
    #expect(link.description.hasSuffix(#"//…@a.example/b@c>; rel="next""#))
    #expect(links("<mailto:a@b.c>; rel=me").first?.description == #"<mailto:a@b.c>; rel="me""#)
  }

  @Test("A response gives its own link of a relation, and not another resource's")
  func response() throws {
    let url = try #require(URL(string: "https://api.example.com/v1/orders?page=1"))
    func response(_ line: String) -> RESTResponse {
      RESTResponse(
        head: ResponseHead(url: url, statusCode: 200, headers: ["Link": line]), data: Data(),
        request: RequestSummary(method: .get, url: url))
    }
    #expect(response("<a>; rel=prev, <b>; rel=next").link("Next")?.target == "b")
    #expect(response("<a>; rel=prev").link("next") == nil)
    #expect(response("<a>; rel=next; anchor=\"#part\"").link("next")?.target == "a")
    #expect(response("<a>; rel=next; anchor=\"\"").link("next")?.target == "a")
    #expect(response("<a>; rel=next; anchor=\"/v1/other\"").link("next") == nil)
    #expect(response("<a>; rel=next; anchor=\"urn:x\", <b>; rel=next").link("next")?.target == "b")
  }
}
