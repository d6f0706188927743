import Fixtures
import Foundation
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("SEC-11: redaction of texts")
struct RedactionTests {
  private func url(_ text: String, _ redaction: Redaction) -> String {
    redaction.text(of: URL(string: text))
  }

  @Test("A URL keeps its place and the names in its query")
  func urls() {
    let text = "https://me:canary@h/a?page=2&api_key=canary&X-Amz-Signature=canary&flag#canary"
    #expect(
      url(text, .strict)
        == "https://h/a?page=REDACTED&api_key=REDACTED&X-Amz-Signature=REDACTED&REDACTED")
    #expect(
      url(text, .byName)
        == "https://h/a?page=2&api_key=REDACTED&X-Amz-Signature=REDACTED&flag")
    #expect(url("https://h/a?x=1#part", .none) == "https://h/a?x=1")
    #expect(url("https://h/a", .strict) == "https://h/a")
    #expect(url("https://h/a?to%6Ben=canary", .byName) == "https://h/a?to%6Ben=REDACTED")
  }

  @Test("Header fields are shown if their names are known to be harmless")
  func headers() {
    let headers: HTTPHeaders = [
      "Content-Type": "text/plain", "Authorization": "canary", "Set-Cookie": "canary",
      "X-Auth-Token": "canary", "X-Own": "own", "Location": "/next?code=canary&page=2",
    ]
    func values(_ redaction: Redaction) -> [String] { redaction.fields(headers).map(\.value) }
    let mark = Redaction.mark
    #expect(
      values(.strict)
        == ["text/plain", mark, mark, mark, mark, "/next?code=REDACTED&page=REDACTED"])
    #expect(
      values(.byName) == ["text/plain", mark, mark, mark, "own", "/next?code=REDACTED&page=2"])
    #expect(values(.none) == headers.map(\.value))
  }

  @Test("Fields after a semicolon have names, and a semicolon in a secret is part of it")
  func semicolons() {
    #expect(url("https://h/a?a=b;token=canary", .byName) == "https://h/a?a=b;token=REDACTED")
    #expect(url("https://h/a?token=x;canary&b=c", .byName) == "https://h/a?token=REDACTED&b=c")
    #expect(url("https://h/a?a=b;token=canary", .strict) == "https://h/a?a=REDACTED")
    let headers: HTTPHeaders = ["Refresh": "0; url=/a?token=canary"]
    #expect(Redaction.byName.fields(headers).map(\.value) == [Redaction.mark])
  }

  @Test("A URL and fields in a value of a query are read, and JSON there is hidden")
  func inQuery() {
    let inner = "https%3A%2F%2Fme%3Acanary%40h%2F%3Fpage%3D2%26token%3Dcanary"
    #expect(
      url("https://h/a?next=\(inner)&b=c", .byName)
        == "https://h/a?next=https://h/%3Fpage%3D2%26token%3DREDACTED&b=c")
    #expect(url("https://h/a?q=%7B%22pin%22%3A7%7D", .byName) == "https://h/a?q=REDACTED")
    #expect(url("https://h/a?q=a%3D1%26sig%3Dcanary", .byName).hasSuffix("sig%3DREDACTED"))
    let headers: HTTPHeaders = ["X-Next": "https://h/?token=canary", "X-Own": "a=b"]
    #expect(
      Redaction.byName.fields(headers).map(\.value) == ["https://h/?token=REDACTED", "a=b"])
  }

  @Test("A redaction by name takes further names, in any spelling")
  func adding() {
    let redaction = Redaction.byNames(adding: ["X-Tenant"])
    let headers: HTTPHeaders = ["x-tenant": "canary", "Cookie": "canary", "X-Own": "own"]
    #expect(redaction.fields(headers).map(\.value) == [Redaction.mark, Redaction.mark, "own"])
    #expect(url("https://h/a?xTenant=canary", redaction) == "https://h/a?xTenant=REDACTED")
    #expect(
      body(#"{"x_tenant": "canary"}"#, nil, redaction) == #"{"x_tenant": "<redacted>"}"#)
  }

  @Test("An empty query field stays, and only link fields are read as links")
  func untouched() {
    #expect(url("https://h/a?x=1&&y=2", .byName) == "https://h/a?x=1&&y=2")
    #expect(url("https://h/a?x=1&&y=2", .strict) == "https://h/a?x=REDACTED&&y=REDACTED")
    let headers: HTTPHeaders = ["X-Own": "a?b#c"]
    #expect(Redaction.byName.fields(headers).map(\.value) == ["a?b#c"])
  }

  @Test("A link that is not a URL is hidden as a whole")
  func brokenLink() {
    let headers: HTTPHeaders = ["Location": "http://[canary"]
    #expect(Redaction.byName.fields(headers).map(\.value) == [Redaction.mark])
  }

  @Test("Each target of a Link field is shown like a URL")
  func links() {
    let headers: HTTPHeaders = [
      "Link": #"</a?page=2&token=canary>; rel="next", <https://me:canary@h/b?sig=canary#canary>"#,
      "link": "<?key=canary", "LINK": "<>; rel=self, <http://[canary>; rel=up",
    ]
    let shown = [
      #"</a?page=2&token=REDACTED>; rel="next", <https://h/b?sig=REDACTED>"#,
      "<?key=REDACTED", "<>; rel=self, <REDACTED>; rel=up",
    ]
    #expect(Redaction.byName.fields(headers).map(\.value) == shown)
    let mark = Redaction.mark
    #expect(Redaction.strict.fields(headers).map(\.value) == [mark, mark, mark])
    #expect(Redaction.none.fields(headers).map(\.value) == headers.map(\.value))
  }

  private func body(_ text: String, _ type: String?, _ redaction: Redaction) -> String? {
    redaction.body(Data(text.utf8), contentType: type).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("JSON keeps its shape, and still decodes to the same type")
  func json() throws {
    let text = """
      {"name": "Ada \\" }", "n": -1.5e3, "ok": true, "none": null, "list": ["a", [1, {}], {"b": "c"}],
       "accessToken": "canary", "to\\u006Ben": "canary", "secrets": {"a": ["canary", 7], "b": {"c": 1}}}
      """
    #expect(
      body(text, nil, .strict) == """
        {"name": "<redacted>", "n": 0, "ok": true, "none": null, "list": ["<redacted>", [0, {}], {"b": "<redacted>"}],
         "accessToken": "<redacted>", "to\\u006Ben": "<redacted>", "secrets": {"a": ["<redacted>", 0], "b": {"c": 0}}}
        """)
    #expect(
      body(text, nil, .byName) == """
        {"name": "Ada \\" }", "n": -1.5e3, "ok": true, "none": null, "list": ["a", [1, {}], {"b": "c"}],
         "accessToken": "<redacted>", "to\\u006Ben": "<redacted>", "secrets": {"a": ["<redacted>", 0], "b": {"c": 0}}}
        """)
    #expect(body(#""canary""#, nil, .strict) == #""<redacted>""#)
    #expect(body("[7]", nil, .strict) == "[0]")
    #expect(body(text, nil, .none) == text)
  }

  @Test(
    "A hidden number is 0 in any form, and a string ends at its own quote",
    arguments: [
      ("7", "0"), ("-7", "0"), ("-0.25", "0"), ("[1E+5, 1e-5 ,2E5]", "[0, 0 ,0]"),
      (#"{"a": "b\\", "c": 1}"#, #"{"a": "<redacted>", "c": 0}"#),
      (#"["\"", "\\\"", ""]"#, #"["<redacted>", "<redacted>", "<redacted>"]"#),
      (#"[true, [], {}, false, null]"#, #"[true, [], {}, false, null]"#),
      (#"[[1], {"a": 2}, 3]"#, #"[[0], {"a": 0}, 0]"#),
    ])
  func jsonValues(text: String, masked: String) {
    #expect(body(text, nil, .strict) == masked)
    #expect(body(text, nil, .byName) == text)
  }

  @Test("A form keeps its names; other bodies are left out")
  func otherBodies() {
    let form = "application/x-www-form-urlencoded; charset=utf-8"
    #expect(body("user=a&password=b", form, .strict) == "user=REDACTED&password=REDACTED")
    #expect(body("user=a&password=b", form, .byName) == "user=a&password=REDACTED")
    // A name whose escapes are broken is looked at as it stands.
    #expect(body("token%zz=canary&a%zz=b", form, .byName) == "token%zz=REDACTED&a%zz=b")
    #expect(body("canary", "text/plain", .strict) == nil)
    #expect(body("text", "text/plain", .byName) == "text")
    let multipart = "Multipart/form-data; boundary=b"
    #expect(body("canary", multipart, .strict) == nil)
    #expect(body("canary", multipart, .byName) == Redaction.mark)
    #expect(body("shown", multipart, .none) == "shown")
    #expect(body(#"{"token": "cana"#, "application/problem+json", .byName) == nil)
    #expect(body("", "text/plain", .strict) == "")
  }
}
