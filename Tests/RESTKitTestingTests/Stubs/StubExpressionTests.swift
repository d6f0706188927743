import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("ST-10: Conditions on a part of a request's text")
struct StubExpressionTests {
  /// The lines in which a request differs from a stub; empty if the request matches.
  private func differences(
    _ stub: StubRequest, url: String = "https://h.example/v1/orders/17?q=tea%20pot&page=2&flag",
    headers: [String: String] = ["Authorization": "Bearer abc.def"], body: String = "",
    hidesSecrets: Bool = false
  ) throws -> [String] {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.allHTTPHeaderFields = headers
    if !body.isEmpty { request.httpBody = Data(body.utf8) }
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    StubTransport(StubAPIResponse(request: stub), hidesSecrets: hidesSecrets)
      .response(for: request).receive(subscriber: subscriber)
    guard let failure = subscriber.failure else { return [] }
    return "\(failure)".split(separator: "\n").filter { $0.hasPrefix("    ") }.map {
      String($0.dropFirst(4))
    }
  }

  @Test("An expression matches the whole path, header value, query value and body")
  func expressions() throws {
    let stub = StubRequest().path(matching: "/v1/orders/[0-9]+")
      .header("authorization", matching: #"Bearer [\w.]+"#)
      .query("q", matching: "tea.*").query("flag", matching: "").body(matching: "(?s)a.*z")
    #expect(try differences(stub, body: "a\nz").isEmpty)
    #expect(
      try differences(
        stub, url: "https://h/v1/orders/17a?q=a%20tea&q=coffee&flag=1",
        headers: ["Authorization": "Basic abc"], body: "a\nzz\n") == [
          "- path: //v1/orders/[0-9]+/", "+ path: /v1/orders/17a",
          #"- header authorization: /Bearer [\w.]+/"#, "+ header authorization: Basic abc",
          "- query q: /tea.*/", "+ query q: a tea, coffee", "- query flag: //", "+ query flag: 1",
          "- body: /(?s)a.*z/", #"+ body: a\nzz\n"#,
        ])
  }

  @Test("A part that the request does not have differs from an expression and from a text")
  func missing() throws {
    for stub in [
      StubRequest().header("X-A", matching: ".*"), StubRequest().header("X-A", containing: ""),
    ] {
      #expect(try differences(stub).last == "+ header X-A: (none)")
    }
    #expect(
      try differences(StubRequest().query("x", matching: ".*"))
        == ["- query x: /.*/", "+ query x: (none)"])
    #expect(try differences(StubRequest().body(matching: "")).isEmpty)
    #expect(try differences(StubRequest().body(matching: "a")) == ["- body: /a/", "+ body: "])
  }

  @Test("A text that is no expression is a difference that says so")
  func noExpression() throws {
    #expect(
      try differences(StubRequest().path(matching: "(")) == [
        "- path: an expression, but ( is none", "+ path: /v1/orders/17",
      ])
  }

  @Test("An expression sees scalars: a composed character is not a decomposed one")
  func scalars() throws {
    let stub = StubRequest().body(matching: "caf\u{E9}")
    #expect(try differences(stub, body: "caf\u{E9}").isEmpty)
    #expect(try differences(stub, body: "cafe\u{301}").count == 2)
    #expect(try differences(StubRequest().body(matching: "caf.."), body: "cafe\u{301}").isEmpty)
  }

  @Test("A header, a query item and a body contain a text, byte by byte")
  func containment() throws {
    let stub = StubRequest().header("Authorization", containing: "abc").query(
      "q", containing: "pot"
    )
    .query("page", containing: "").body(containing: "\"id\":7")
    #expect(try differences(stub, body: #"{"id":7}"#).isEmpty)
    #expect(
      try differences(
        stub, url: "https://h/?q=p%20ot&page", headers: ["Authorization": "ab.c"],
        body: #"{"id": 7}"#) == [
          "- header Authorization: …abc…", "+ header Authorization: ab.c", "- query q: …pot…",
          "+ query q: p ot", "- body: …\"id\":7…", #"+ body: {"id": 7}"#,
        ])
    #expect(
      try differences(StubRequest().body(containing: "e\u{301}"), body: "caf\u{E9}").count == 2)
  }

  @Test("No mark stands below an expression, which is not spelled as the value")
  func noMark() throws {
    let lines = try differences(
      StubRequest().path(matching: "/v1/orders/[a-z]+/and/some/more"),
      url: "https://h/v1/orders/17/and/some/more")
    #expect(lines.count == 2)
  }

  @Test("Each of several values of one name is required")
  func severalOfAName() throws {
    let stub = StubRequest().query(containing: ["a": "1", "a": "2"])
    #expect(try differences(stub, url: "https://h/?a=2&b=3&a=1").isEmpty)
    #expect(
      try differences(stub, url: "https://h/?a=2&b=3") == ["- query a: 1, 2", "+ query a: 2"])
    let form = StubRequest().formBody(containing: ["a": "1", "a": "2"])
    #expect(try differences(form, body: "a=1&a=2&c").isEmpty)
    #expect(try differences(form, body: "a=1&c") == ["- form a: 1, 2", "+ form a: 1"])
  }

  @Test("A query has no item of a name, with or without a value")
  func withoutQuery() throws {
    #expect(try differences(StubRequest().withoutQuery("debug")).isEmpty)
    #expect(
      try differences(StubRequest().withoutQuery("flag").withoutQuery("q")) == [
        "- query flag: (none)", "+ query flag: (no value)", "- query q: (none)",
        "+ query q: tea pot",
      ])
  }

  private static let order = """
    {"id": 7, "lines": [{"sku": "A-1", "n": 1}, {"sku": "B-2", "n": 2.0}], "note": null,
     "a.b": {"it's": true}, "tags": {"x": 1, "y": [2]}}
    """

  @Test(
    "A JSON path selects values of a body",
    arguments: [
      ("$.id", "7"), ("$.id", "7.0"), ("$.lines[0].sku", #""A-1""#), ("$.lines[-1].n", "2"),
      ("$.lines[-2].n", "1"),
      ("$.lines[*].sku", #""B-2""#), ("$.note", "null"), ("$['a.b']['it\\'s']", "true"),
      (#"$["a.b"]["it's"]"#, "true"), ("$.tags.*", "[2]"), ("$.tags", #"{"y": [2], "x": 1}"#),
      ("$['lines'][1]['n']", "2"),
    ])
  func jsonPath(path: String, json: String) throws {
    #expect(try differences(StubRequest().jsonBody(at: path, json), body: Self.order).isEmpty)
    #expect(try differences(StubRequest().jsonBody(at: path), body: Self.order).isEmpty)
  }

  @Test(
    "Another value at a JSON path is a difference, and so is none",
    arguments: [
      ("$.id", "8", "7"), ("$.id", #""7""#, "7"), ("$.lines[2].sku", "1", "(none)"),
      ("$.lines[-3]", "1", "(none)"), ("$.lines.sku", "1", "(none)"), ("$.id[0]", "1", "(none)"),
      ("$.id.*", "1", "(none)"),
      ("$", "1", "{…}"), ("$.x", "1", "(none)"),
    ])
  func otherValue(path: String, json: String, sent: String) throws {
    #expect(
      try differences(StubRequest().jsonBody(at: path, json), body: Self.order) == [
        "- body \(path): \(json)", "+ body \(path): \(sent)",
      ])
  }

  @Test("A name in another spelling is another name, in a query and in a JSON path")
  func spellings() throws {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let url = "https://h/?e%CC%81=1"
    let stubs: [(StubRequest, isFit: Bool)] = [
      (StubRequest().query(decomposed, matching: "1"), true),
      (StubRequest().query(composed, matching: "1"), false),
      (StubRequest().query(composed, containing: "1"), false),
      (StubRequest().withoutQuery(composed), true),
      (StubRequest().withoutQuery(decomposed), false),
      (StubRequest().jsonBody(at: "$.\(decomposed)"), true),
      (StubRequest().jsonBody(at: "$.\(composed)"), false),
    ]
    for (index, (stub, isFit)) in stubs.enumerated() {
      let found = try differences(stub, url: url, body: #"{"\#(decomposed)": 1}"#)
      #expect(found.isEmpty == isFit, "\(index)")
    }
  }

  @Test("Each value that a JSON path selects is a difference")
  func severalValues() throws {
    #expect(
      try differences(StubRequest().jsonBody(at: "$.lines[*].sku", #""C""#), body: Self.order) == [
        #"- body $.lines[0].sku: "C""#, #"+ body $.lines[0].sku: "A-1""#,
        #"- body $.lines[1].sku: "C""#, #"+ body $.lines[1].sku: "B-2""#,
      ])
    #expect(
      try differences(StubRequest().jsonBody(at: "$.tags.*", "3"), body: Self.order) == [
        "- body $.tags.x: 3", "+ body $.tags.x: 1", "- body $.tags.y: 3", "+ body $.tags.y: […]",
      ])
  }

  @Test("A JSON path is compared with an expression, or must only have a value")
  func jsonPathForms() throws {
    let stub = StubRequest().jsonBody(at: "$.lines[*].sku", matching: "B-[0-9]")
    #expect(try differences(stub, body: Self.order).isEmpty)
    #expect(
      try differences(
        StubRequest().jsonBody(at: "$.id", matching: "7").jsonBody(at: "$.x"), body: Self.order)
        == [
          "- body $.id: /7/", "+ body $.id: 7", "- body $.x: any value", "+ body $.x: (none)",
        ])
    #expect(
      try differences(StubRequest().jsonBody(at: "$.id"), body: "a=1") == [
        "- body: JSON", "+ body: 3 bytes that are not JSON",
      ])
    #expect(
      try differences(StubRequest().jsonBody(at: "$.id", "{"), body: Self.order) == [
        "- body $.id: JSON, but { is none", "+ body $.id: 7",
      ])
  }

  @Test(
    "A text that is no JSON path is a difference that says so",
    arguments: [
      "", "id", "$id", "$.", "$..id", "$[", "$[x]", "$['a", "$['a'", "$['a'x]", "$[1", "$['a\\",
      "$[01]", "$[+1]", "$[-0]", "$[1 2]", "$[]", "$[99999999999999999999]", "$[\u{661}]",
      "$['\\x']", "$['\\u12']", "$['\\ud800']", "$['\\ud800\\u0041']", "$['\\udc00']", "$.a]",
      "$.a b", "$.a'", "$.*x", "$[0:2]", "$['a','b']", "$[?(@.a)]", "$.a()", "$.\u{E9} ",
    ])
  func noPath(path: String) throws {
    #expect(
      try differences(StubRequest().jsonBody(at: path), body: Self.order)
        == ["- body: a JSON path, but \(path) is none", "+ body: …"])
  }

  @Test(
    "Names in quotes have the escapes of JSON, and blanks in brackets mean nothing",
    arguments: [
      (#"$['a\nb']"#, #"{"a\nb": 1}"#), (#"$["\u0061"]"#, #"{"a": 1}"#),
      (#"$['\ud83d\uDE00']"#, "{\"\u{1F600}\": 1}"), (#"$['\"\'\/\\']"#, #"{"\"'/\\": 1}"#),
      (#"$['\b\f\r\t']"#, #"{"\b\f\r\t": 1}"#), ("$[ 'a' ][ 0 ][\t*\n]", #"{"a": [[1]]}"#),
      ("$.\u{301}a", "{\"\u{301}a\": 1}"), ("$.a-b_c", #"{"a-b_c": 1}"#), ("$.@id", #"{"@id": 1}"#),
      ("$['']", #"{"": 1}"#), ("$.\u{1F600}", "{\"\u{1F600}\": 1}"),
    ])
  func pathSpellings(path: String, body: String) throws {
    #expect(try differences(StubRequest().jsonBody(at: path, "1"), body: body).isEmpty)
    #expect(try !differences(StubRequest().jsonBody(at: path, "2"), body: body).isEmpty)
  }

  @Test("One part of a multipart body is required among others")
  func onePart() throws {
    let headers = ["Content-Type": "multipart/form-data; boundary=xx"]
    func part(_ name: String, _ more: String, _ text: String) -> String {
      "--xx\r\nContent-Disposition: form-data; name=\"\(name)\"\(more)\r\n\r\n\(text)\r\n"
    }
    let body =
      part("title", "", "Hello") + part("file", "; filename=\"a.txt\"", "1")
      + part("file", "; filename=\"b.txt\"", "2") + "--xx--\r\n"
    func lines(_ part: StubPart) throws -> [String] {
      try differences(StubRequest().multipartBody(containing: part), headers: headers, body: body)
    }
    #expect(try lines(StubPart(name: "file", filename: "b.txt", data: Data("2".utf8))).isEmpty)
    #expect(try lines(StubPart(name: "title")).isEmpty)
    #expect(
      try lines(StubPart(name: "file", filename: "b.txt", data: Data("3".utf8)))
        == ["- part file: 3", "+ part file: 2"])
    #expect(
      try lines(StubPart(name: "file", filename: "c.txt", data: Data("1".utf8)))
        == ["- part filename: c.txt", "+ part filename: a.txt"])
    #expect(
      try lines(StubPart(name: "image")) == ["- part: image", "+ part: title, file, file"])
    #expect(
      try differences(
        StubRequest().multipartBody(containing: StubPart(name: "image")), headers: headers,
        body: "--xx--\r\n") == ["- part: image", "+ part: (none)"])
    #expect(
      try differences(
        StubRequest().multipartBody(containing: StubPart(name: "image")), headers: headers) == [
          "- body: a part image", "+ body: not multipart, or without a boundary",
        ])
  }

  @Test("A sent value that an expression or a text is compared with hides its secrets, too")
  func secrets() throws {
    let body = #"{"password": "canary", "id": 7}"#
    let url = "https://h/?token=canary&next=https://i/?key=canary"
    let stub = StubRequest().header("Authorization", matching: "x").query("token", matching: "x")
      .query("next", containing: "x").body(matching: "x").body(containing: "other")
      .jsonBody(at: "$.password", "1").jsonBody(at: "$.*", "8").withoutQuery("token")
    let lines = try differences(
      stub, url: url, headers: ["Authorization": "canary"], body: body, hidesSecrets: true)
    #expect(lines.count > 10)
    #expect(!lines.joined().contains("canary"), "\(lines)")
  }

  @Test(
    "What a condition expects hides its secrets, however it is spelled",
    arguments: [
      StubRequest().jsonBody(at: "$['password']", #""canary""#),
      StubRequest().jsonBody(at: #"$["pass\u0077ord"]"#, #""canary""#),
      StubRequest().jsonBody(at: "$['login']['password'][0]", matching: "canary.*"),
      StubRequest().jsonBody(at: "$", #"{"password": "canary"}"#),
      StubRequest().jsonBody(at: "$.a", #"{"b": {"password": "canary"}}"#),
      StubRequest().body(matching: #"\{"password": ?"canary"\}"#),
      StubRequest().body(containing: #""password": "canary""#),
      StubRequest().body(containing: "password=canary&"),
      StubRequest().body(matching: "user=.*&password=canary"),
      StubRequest().jsonBody(at: "$.note", matching: ".*token=canary"),
      StubRequest().header("X-Api-Key", matching: "canary.*"),
      StubRequest().query("access_token", matching: "canary[0-9]"),
      StubRequest().query("next", containing: "token=canary"),
      StubRequest().formBody(containing: ["password": "canary"]),
      StubRequest().multipartBody(containing: StubPart(name: "password", value: "canary")),
    ])
  func expectedSecrets(stub: StubRequest) throws {
    for body in [
      "", "{}", #"{"password": "x"}"#, #"{"a": 1, "login": {"password": ["x"]}}"#, "a=1",
    ] {
      let lines = try differences(stub, body: body, hidesSecrets: true)
      #expect(!lines.isEmpty)
      #expect(!lines.joined().contains("canary"), "\(lines)")
    }
    let multipart = "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nx\r\n--b--\r\n"
    let lines = try differences(
      stub, headers: ["Content-Type": "multipart/form-data; boundary=b"], body: multipart,
      hidesSecrets: true)
    #expect(!lines.joined().contains("canary"), "\(lines)")
  }
}
