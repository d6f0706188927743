import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("ST-10: Conditions of a stub on a request")
struct StubMatcherTests {
  /// The lines in which a request differs from a stub; empty if the request matches.
  private func differences(
    _ stub: StubRequest, method: String = "POST", url: String = "https://h.example/v1/a",
    headers: [String: String] = [:], body: String = ""
  ) throws -> [String] {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = method
    request.allHTTPHeaderFields = headers
    request.httpBody = Data(body.utf8)
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    StubTransport(StubAPIResponse(request: stub)).response(for: request)
      .receive(subscriber: subscriber)
    guard let failure = subscriber.failure else { return [] }
    return "\(failure)".split(separator: "\n").filter { $0.hasPrefix("    ") }.map {
      String($0.dropFirst(4))
    }
  }

  @Test("A stub without conditions matches any request")
  func anything() throws {
    #expect(try differences(StubRequest()).isEmpty)
  }

  @Test("A stub whose URL has no scheme and no host says so")
  func relativeURL() throws {
    let lines = try differences(StubRequest(.post, urlString: "/v1/a"))
    #expect(
      lines == [
        "- scheme: none, because the stub's URL is not absolute", "+ scheme: https",
        "- host: none, because the stub's URL is not absolute", "+ host: h.example",
      ])
  }

  @Test("A stub compares parts of the URL")
  func parts() throws {
    let stub = StubRequest(.post, scheme: "HTTPS", host: "H.example", path: "/v1/a")
    #expect(try differences(stub).isEmpty)
    #expect(try differences(stub, url: "https://h.example/v1/a?x=1#f").isEmpty)
    #expect(
      try differences(stub, method: "PUT", url: "http://h.example:81/v1/b") == [
        "- method: POST", "+ method: PUT", "- scheme: https", "+ scheme: http",
        "- host: h.example", "+ host: h.example:81", "- path: /v1/a", "+ path: /v1/b",
      ])
  }

  @Test(
    "A stub matches a pattern of paths",
    arguments: [
      ("/users/*", "/users/7"), ("/users/*/orders", "/users/7/orders"), ("users/*", "/users/"),
      ("/**", "/"), ("/**", "/a/b/c"), ("/a/**/z", "/a/z"), ("/a/**/z", "/a/b/z/c/z"),
      ("/**/b/**", "/a/b"), ("/a/**/*/z", "/a/b/c/z"), ("/a%20b", "/a%20b"),
    ])
  func pattern(pattern: String, path: String) throws {
    #expect(try differences(StubRequest(path: pattern), url: "https://h\(path)").isEmpty)
  }

  @Test(
    "A path that does not match the pattern is a difference",
    arguments: [
      ("/users/*", "/users"), ("/users/*", "/users/7/orders"), ("/*", "/a/b"), ("/a/**/z", "/a/b"),
      ("/a", "/A"), ("/a", "/a/"), ("/**/b", "/a/b/c"), ("/a%20b", "/a+b"), ("/a/**/*/z", "/a/z"),
    ])
  func noFit(pattern: String, path: String) throws {
    #expect(
      try differences(StubRequest(path: pattern), url: "https://h\(path)") == [
        "- path: \(pattern)", "+ path: \(path)",
      ])
  }

  @Test("A stub compares a query, exactly or among other items")
  func query() throws {
    let url = "https://h/?b=2&a=1&a=3&c=x%20y"
    #expect(
      try differences(StubRequest().query(["a": "3", "b": "2", "a": "1", "c": "x y"]), url: url)
        .isEmpty)
    #expect(
      try differences(StubRequest().query(["a": "1", "b": "2"]), url: url) == [
        "- query a: 1", "+ query a: 1, 3", "- query c: (none)", "+ query c: x y",
      ])
    #expect(
      try differences(StubRequest().query(containing: ["a": "3", "b": "2"]), url: url).isEmpty)
    #expect(
      try differences(StubRequest().query(containing: ["b": "3", "d": "4"]), url: url) == [
        "- query b: 3", "+ query b: 2", "- query d: 4", "+ query d: (none)",
      ])
    #expect(try differences(StubRequest().query([:]), url: "https://h/").isEmpty)
  }

  @Test("A stub compares header fields, with names in any case")
  func headers() throws {
    let stub = StubRequest().header("x-version", "2").withoutHeader("Expect")
    #expect(try differences(stub, headers: ["X-Version": "2"]).isEmpty)
    #expect(
      try differences(stub, headers: ["Expect": "100-continue"]) == [
        "- header x-version: 2", "+ header x-version: (none)",
        "- header Expect: (none)", "+ header Expect: 100-continue",
      ])
  }

  @Test("A stub compares the body's bytes")
  func bytes() throws {
    let stub = StubRequest().body(Data("abc".utf8))
    #expect(try differences(stub, body: "abc").isEmpty)
    #expect(
      try differences(stub, body: "abd") == ["- body: abc", "+ body: abd"])
    let image = StubRequest().body(Data([0x61, 0xFF]))
    #expect(
      try differences(image, body: "abc") == [
        "- body: 2 bytes", "+ body: 3 bytes, other ones from byte 1 on",
      ])
  }

  @Test(
    "JSON with the same meaning matches",
    arguments: [
      (#"{"a": 1, "b": [true, null]}"#, #"{"b":[true,null],"a":1.0}"#),
      ("100", "1e2"), ("0.1", "1e-1"), ("-0", "0"), (#""é""#, #""\u00e9""#), ("[]", " [ ] "),
      ("9007199254740993", "9007199254740993.0"),
    ])
  func json(stub: String, body: String) throws {
    #expect(try differences(StubRequest().jsonBody(stub), body: body).isEmpty)
  }

  @Test(
    "JSON with another meaning is a difference",
    arguments: [
      ("1", "true", "$", "1", "true"), ("1", #""1""#, "$", "1", #""1""#),
      ("9007199254740993", "9007199254740992", "$", "9007199254740993", "9007199254740992"),
      (#"{"a": {"b": [1, 2]}}"#, #"{"a": {"b": [1, 3]}}"#, "$.a.b[1]", "2", "3"),
      (#"{"a": null}"#, "{}", "$.a", "null", "(none)"), ("{}", #"{"a": 1}"#, "$.a", "(none)", "1"),
      ("[1]", "[1, 2]", "$, elements", "1", "2"), ("[]", "{}", "$", "[…]", "{…}"),
    ])
  func otherJSON(stub: String, body: String, path: String, expected: String, sent: String) throws {
    #expect(
      try differences(StubRequest().jsonBody(stub), body: body) == [
        "- body \(path): \(expected)", "+ body \(path): \(sent)",
      ])
  }

  @Test("A request without a body has an empty body")
  func noBody() throws {
    var request = URLRequest(url: try #require(URL(string: "https://h.example/v1/a")))
    request.setValue("multipart/form-data; boundary=b", forHTTPHeaderField: "Content-Type")
    func report(_ stub: StubRequest) -> String {
      let subscriber = TestSubscriber<RESTResponse, any Error>()
      StubTransport(StubAPIResponse(request: stub)).response(for: request)
        .receive(subscriber: subscriber)
      return subscriber.failure.map { "\($0)" } ?? "a response"
    }
    #expect(report(StubRequest().body(Data())) == "a response")
    #expect(report(StubRequest().body(Data("a".utf8))).contains("+ body: 0 bytes"))
    #expect(report(StubRequest().formBody(["a": "1"])).contains("+ form a: (none)"))
    #expect(report(StubRequest().multipartBody(StubPart(name: "a"))).contains("+ body: not multi"))
  }

  @Test("Texts are compared byte by byte, and a decomposed one is shown with its escapes")
  func composed() throws {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    for (one, other, shown) in [
      (composed, decomposed, ("\u{E9}", #"e\u{0301}"#)),
      (decomposed, composed, (#"e\u{0301}"#, "\u{E9}")),
    ] {
      #expect(
        try differences(StubRequest().header("X-A", one), headers: ["X-A": other]) == [
          "- header X-A: \(shown.0)", "+ header X-A: \(shown.1)",
        ])
      #expect(try differences(StubRequest().header("X-A", one), headers: ["X-A": one]).isEmpty)
      #expect(
        try differences(StubRequest().query(["a": one]), url: "https://h/?a=\(other.escaped)") == [
          "- query a: \(shown.0)", "+ query a: \(shown.1)",
        ])
      #expect(
        try differences(
          StubRequest().query(containing: [one: "1"]), url: "https://h/?\(other.escaped)=1") == [
            "- query \(shown.0): 1", "+ query \(shown.0): (none)",
          ])
      #expect(
        try differences(StubRequest().formBody(["a": one]), body: "a=\(other.escaped)") == [
          "- form a: \(shown.0)", "+ form a: \(shown.1)",
        ])
      #expect(
        try differences(StubRequest().jsonBody(#"["\#(one)"]"#), body: #"["\#(other)"]"#) == [
          "- body $[0]: \"\(shown.0)\"", "+ body $[0]: \"\(shown.1)\"",
        ])
      #expect(
        try differences(
          StubRequest().jsonBody(#"{"\#(one)": 1}"#), body: #"{"\#(other)": 1}"#) == [
            "- body $.\(shown.0): 1", "+ body $.\(shown.0): (none)",
            "- body $.\(shown.1): (none)", "+ body $.\(shown.1): 1",
          ])
      #expect(
        try differences(StubRequest().jsonBody(#"{"\#(one)": [{}]}"#), body: #"{"\#(one)":[{}]}"#)
          .isEmpty)
    }
  }

  @Test("A plus in a query or a form is a blank, and an escaped one a plus")
  func plus() throws {
    for (sent, value) in [("a+b", "a b"), ("a%20b", "a b"), ("a%2Bb", "a+b"), ("a%2bb", "a+b")] {
      for (text, isEqual) in [(value, true), (value == "a b" ? "a+b" : "a b", false)] {
        let stub = StubRequest()
        #expect(
          try differences(stub.query(["q": text]), url: "https://h/?q=\(sent)").isEmpty == isEqual)
        #expect(try differences(stub.formBody(["q": text]), body: "q=\(sent)").isEmpty == isEqual)
      }
    }
    #expect(
      try differences(StubRequest().query(["q": "a+b"]), url: "https://h/?q=a+b") == [
        "- query q: a+b", "+ query q: a b",
      ])
  }

  @Test("Names, file names and types of parts are compared byte by byte")
  func exactParts() throws {
    let body =
      "--b\r\nContent-Disposition: form-data; name=\"\u{E9}\"; filename=\"\u{E9}\""
      + "\r\n\r\nx\r\n--b--"
    let headers = ["Content-Type": "multipart/form-data; boundary=b"]
    for (text, isEqual) in [("\u{E9}", true), ("e\u{301}", false)] {
      let stub = StubRequest().multipartBody(StubPart(name: text, filename: text))
      let lines = try differences(stub, headers: headers, body: body)
      #expect(lines.isEmpty == isEqual && (isEqual || lines.count == 4), "\(lines)")
    }
  }

  @Test("A form with broken escapes is compared unchanged")
  func brokenEscapes() throws {
    let stub = StubRequest().formBody(["a": "%zz", "b": "1 2"])
    #expect(try differences(stub, body: "a=%zz&b=1+2").isEmpty)
    #expect(
      try differences(stub, body: "a=%zy&b=1+2") == ["- form a: %zz", "+ form a: %zy"])
  }

  @Test("A body that is not JSON is a difference")
  func notJSON() throws {
    #expect(
      try differences(StubRequest().jsonBody("{}"), body: "a=1") == [
        "- body: JSON", "+ body: 3 bytes that are not JSON",
      ])
    #expect(
      try differences(StubRequest().jsonBody("{"), body: "{}").first
        == "- body: JSON, but the stub's text is not JSON")
  }

  @Test("A stub compares a part of a JSON body, with extra members but no extra elements")
  func partialJSON() throws {
    let stub = StubRequest().jsonBody(containing: #"{"lines": [{"sku": "A-1"}]}"#)
    #expect(try differences(stub, body: #"{"id": 1, "lines": [{"n": 2, "sku": "A-1"}]}"#).isEmpty)
    #expect(
      try differences(stub, body: #"{"lines": [{"sku": "A-2"}, {}]}"#) == [
        "- body $.lines, elements: 1", "+ body $.lines, elements: 2",
        #"- body $.lines[0].sku: "A-1""#, #"+ body $.lines[0].sku: "A-2""#,
      ])
  }

  @Test("A stub compares a form, exactly or with other fields")
  func form() throws {
    let body = "grant_type=refresh&scope=a+b%26c&empty="
    #expect(
      try differences(
        StubRequest().formBody(["scope": "a b&c", "empty": "", "grant_type": "refresh"]), body: body
      ).isEmpty)
    #expect(
      try differences(StubRequest().formBody(["scope": "a", "grant_type": "refresh"]), body: body)
        == ["- form scope: a", "+ form scope: a b&c", "- form empty: (none)", "+ form empty: "])
    #expect(
      try differences(StubRequest().formBody(containing: ["grant_type": "refresh"]), body: body)
        .isEmpty)
  }

  @Test("A stub compares a multipart body part by part")
  func multipart() throws {
    let headers = ["Content-Type": "multipart/form-data; boundary=\"xx\""]
    let body =
      "--xx\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nHello\r\n"
      + "--xx\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n"
      + "Content-Type: text/plain\r\n\r\nline\r\n\r\nline\r\n--xx--\r\n"
    let title = StubPart(name: "title", value: "Hello")
    let file = StubPart(
      name: "file", filename: "a.txt", contentType: "text/plain",
      data: Data("line\r\n\r\nline".utf8))
    #expect(
      try differences(StubRequest().multipartBody(title, file), headers: headers, body: body)
        .isEmpty)
    let unquoted = ["Content-Type": "multipart/form-data; boundary=xx ; charset=utf-8"]
    #expect(
      try differences(StubRequest().multipartBody(title, file), headers: unquoted, body: body)
        .isEmpty)
    #expect(
      try differences(
        StubRequest().multipartBody(title, StubPart(name: "file")), headers: headers, body: body
      ).isEmpty)
    #expect(
      try differences(
        StubRequest().multipartBody(StubPart(name: "name", value: "Hallo")), headers: headers,
        body: body) == [
          "- parts: 1", "+ parts: 2", "- part 0 name: name", "+ part 0 name: title",
          "- part 0 name: Hallo", "+ part 0 name: Hello",
        ])
    #expect(
      try differences(
        StubRequest().multipartBody(
          title, StubPart(name: "file", filename: "b.txt", contentType: "text/html")),
        headers: headers, body: body) == [
          "- part 1 filename: b.txt", "+ part 1 filename: a.txt",
          "- part 1 Content-Type: text/html", "+ part 1 Content-Type: text/plain",
        ])
    for (headers, body) in [
      (headers, ""), (headers, "--xx\r\n"), (headers, String(body.dropLast(8))), ([:], body),
    ] {
      #expect(
        try differences(StubRequest().multipartBody(title), headers: headers, body: body) == [
          "- body: 1 parts", "+ body: not multipart, or without a boundary",
        ])
    }
  }

  @Test("A stub compares anything with a closure")
  func closure() throws {
    let stub = StubRequest().matching("the body is short") { ($0.httpBody?.count ?? 0) < 3 }
    #expect(try differences(stub, body: "ab").isEmpty)
    #expect(
      try differences(stub, body: "abc") == [
        "- the body is short: true", "+ the body is short: false",
      ])
  }

  @Test("A request must meet all conditions")
  func all() throws {
    let stub = StubRequest(.post, path: "/v1/*").header("X-A", "1").query(["q": "1"]).body(Data())
    #expect(
      try differences(stub, url: "https://h/v1/a?q=1", headers: ["X-A": "1"]).isEmpty)
    #expect(try differences(stub, url: "https://h/v1/a?q=1").count == 2)
    #expect(try differences(stub, headers: ["X-A": "1"]).count == 2)
  }
}

extension String {
  /// The text, percent-encoded.
  fileprivate var escaped: String {
    utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
