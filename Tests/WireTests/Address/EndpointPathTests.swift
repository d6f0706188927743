import Fixtures
import Foundation
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("SEC-01: the path of an endpoint")
struct EndpointPathTests {
  private func joined(_ endpoint: String, base: String = "https://api.example.com/v1") throws
    -> String
  {
    try BaseURL(base).url(endpoint: endpoint).absoluteString
  }

  private func refusal(of endpoint: String) -> URLJoinError? {
    do throws(URLJoinError) {
      _ = try BaseURL("https://api.example.com/v1").url(endpoint: endpoint)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "A path stands below the base's path, with or without slashes between them",
    arguments: [
      "https://api.example.com/v1", "https://api.example.com/v1/", "https://api.example.com/v1",
    ], ["users/7", "/users/7"])
  func slashes(base: String, endpoint: String) throws {
    #expect(try joined(endpoint, base: base) == "https://api.example.com/v1/users/7")
  }

  @Test(
    "An empty path means the base URL unchanged",
    arguments: [
      ("https://h", "https://h/"), ("https://h/", "https://h/"), ("https://h/v1", "https://h/v1"),
      ("https://h/v1/", "https://h/v1/"), ("https://h/a/b/", "https://h/a/b/"),
    ], ["", "/"])
  func empty(base: (text: String, expected: String), endpoint: String) throws {
    #expect(try joined(endpoint, base: base.text) == base.expected)
  }

  @Test(
    "A path keeps its allowed characters",
    arguments: [
      ("users/", "users/"),
      ("@evil.com", "@evil.com"),
      (":80@evil.com", ":80@evil.com"),
      ("@scope/package", "@scope/package"),
      (";p", ";p"),
      ("a;v=1/b", "a;v=1/b"),
      ("users/documents:search", "users/documents:search"),
      ("documents%3Asearch", "documents%3Asearch"),
      ("documents:search", "documents:search"),
      ("/accounts:signUp", "accounts:signUp"),
      ("images:annotate/x", "images:annotate/x"),
      ("a+b-c.9:x", "a+b-c.9:x"),
      ("data:text/html,x", "data:text/html,x"),
      ("httpx:y", "httpx:y"),
      ("8http:y", "8http:y"),
      ("a/b.c/..d/e../...", "a/b.c/..d/e../..."),
      (".well-known/x", ".well-known/x"),
      ("..%20", "..%20"),
      ("%2ewell", "%2ewell"),
      ("users/.env", "users/.env"),
      ("%2eabc", "%2eabc"),
      ("%252e%252e/x", "%252e%252e/x"),
      ("a%20b%3Fc%23d", "a%20b%3Fc%23d"),
      ("caf%c3%A9", "caf%c3%A9"),
      ("!$&'()*+,=~-_", "!$&'()*+,=~-_"),
    ])
  func kept(endpoint: String, expected: String) throws {
    #expect(try joined(endpoint) == "https://api.example.com/v1/\(expected)")
  }

  @Test(
    "Other characters are encoded as UTF-8, once",
    arguments: [
      ("café", "caf%C3%A9"),
      ("cafe\u{301}", "cafe%CC%81"),
      ("é/%C3%A9", "%C3%A9/%C3%A9"),
      ("😀", "%F0%9F%98%80"),
      ("👩\u{200D}💻", "%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB"),
      ("a\u{FF0F}b", "a%EF%BC%8Fb"),
      ("a\u{202E}b", "a%E2%80%AEb"),
      ("ｈttps:x", "%EF%BD%88ttps:x"),
      ("/\u{301}users", "%CC%81users"),
      ("users/\u{301}7", "users/%CC%817"),
      ("{id}", "%7Bid%7D"),
      ("\"<>^`|[]", "%22%3C%3E%5E%60%7C%5B%5D"),
      ("\u{10FFFF}", "%F4%8F%BF%BF"),
    ])
  func encoded(endpoint: String, expected: String) throws {
    #expect(try joined(endpoint) == "https://api.example.com/v1/\(expected)")
    #expect(try joined("x/" + expected) == "https://api.example.com/v1/x/\(expected)")
  }

  @Test(
    "A path that could leave the base is refused",
    arguments: [
      ("//evil.com", "begins with \"//\", which names another host"),
      ("///evil.com", "begins with \"//\", which names another host"),
      ("//", "begins with \"//\", which names another host"),
      ("/\\evil.com", "holds a backslash"),
      ("\\\\evil.com", "holds a backslash"),
      ("https://evil.com", "has a scheme"),
      ("/https://evil.com", "has a scheme"),
      ("HTTPS:evil.com", "has a scheme"),
      ("javascript:", "has a scheme"),
      ("/HTTP:", "has a scheme"),
      ("http:/x", "has a scheme"),
      ("hTTp:80", "has a scheme"),
      ("data://text/html,x", "has a scheme"),
      ("a+b-c.9:", "has a scheme"),
      ("..", "contains .. as a path segment"),
      ("/..", "contains .. as a path segment"),
      ("../", "contains .. as a path segment"),
      ("../admin", "contains .. as a path segment"),
      ("a/../../b", "contains .. as a path segment"),
      ("a/..", "contains .. as a path segment"),
      ("%2e%2e", "contains .. as a path segment"),
      ("%2E%2e/x", "contains .. as a path segment"),
      (".%2E/x", "contains .. as a path segment"),
      ("%2e./x", "contains .. as a path segment"),
      ("a/%2E./", "contains .. as a path segment"),
      ("..;/", "contains .. as a path segment"),
      ("..;x=1/a", "contains .. as a path segment"),
      ("..%3b/a", "contains .. as a path segment"),
      ("%2e%2E%3B/a", "contains .. as a path segment"),
      (".", "has a \".\" segment"),
      ("%2E./", "contains .. as a path segment"),
      ("./a", "has a \".\" segment"),
      ("a/./b", "has a \".\" segment"),
      ("%2E", "has a \".\" segment"),
      (".;/a", "has a \".\" segment"),
      ("..%2f", "hides a \"/\" in an escape"),
      ("a%2Fb", "hides a \"/\" in an escape"),
      ("a%5cb", "hides a \"\\\" in an escape"),
      ("a//b", "has an empty segment"),
      ("a//", "has an empty segment"),
      ("/a//b", "has an empty segment"),
      ("%00", "hides a control character in an escape"),
      ("a%0d%0aHost:x", "hides a control character in an escape"),
      ("%09", "hides a control character in an escape"),
      ("%7F", "hides a control character in an escape"),
      ("a\0b", "holds a control character (U+0000)"),
      ("a\u{0E}b", "holds a control character (U+000E)"),
      ("a\u{7F}", "holds a control character (U+007F)"),
      ("a\u{80}", "holds a control character (U+0080)"),
      ("a\tb", "holds whitespace (U+0009)"),
      ("a\nb", "holds whitespace (U+000A)"),
      ("a\rb", "holds whitespace (U+000D)"),
      ("a\r\nb", "holds whitespace (U+000D)"),
      ("java\tscript:x", "holds whitespace (U+0009)"),
      (" users", "holds whitespace (U+0020)"),
      ("users ", "holds whitespace (U+0020)"),
      ("a\u{85}b", "holds whitespace (U+0085)"),
      ("a\u{A0}b", "holds whitespace (U+00A0)"),
      ("a\u{2028}b", "holds whitespace (U+2028)"),
      ("a\u{3000}b", "holds whitespace (U+3000)"),
      ("\u{FEFF}..", "holds whitespace (U+FEFF)"),
      ("#frag", "holds a fragment"),
      ("a#", "holds a fragment"),
      ("?q", "holds a query"),
      ("users?page=1", "holds a query"),
      ("a%", "has a \"%\" without two hexadecimal digits"),
      ("a%2", "has a \"%\" without two hexadecimal digits"),
      ("%zz", "has a \"%\" without two hexadecimal digits"),
      ("a%é", "has a \"%\" without two hexadecimal digits"),
      ("%%20", "has a \"%\" without two hexadecimal digits"),
    ])
  func refused(endpoint: String, reason: String) throws {
    let error = try #require(refusal(of: endpoint))
    #expect(error.part == .endpoint)
    #expect(error.reason == reason)
    #expect(!error.remedy.isEmpty)
  }

  @Test("A path of 64 KiB or more is refused, counted as encoded")
  func length() throws {
    let longest = String(repeating: "a", count: 65_535)
    #expect(try joined(longest) == "https://api.example.com/v1/" + longest)
    #expect(refusal(of: longest + "a")?.reason == "makes a path of more than 65535 bytes")
    #expect(
      refusal(of: String(repeating: "é", count: 20_000))?.reason
        == "makes a path of more than 65535 bytes")
  }

  @Test(
    "Errors show the path and the remedy",
    arguments: [
      (
        "../admin",
        #"endpoint "../admin" contains .. as a path segment: "#
          + #"remove ".." and name the path from the API's root"#
      ),
      (
        "users?page=1",
        #"endpoint "users?…" holds a query: "#
          + #"pass query: instead, and write a "?" of the path as %3F"#
      ),
      (
        "a\u{202E}b\nc", #"endpoint "a\u{202E}b\nc" holds whitespace (U+000A): remove it"#
      ),
    ])
  func description(endpoint: String, expected: String) throws {
    #expect(try #require(refusal(of: endpoint)).description == expected)
  }

  @Test(
    "Errors show the path without a query, a fragment or a password",
    arguments: [
      "users?token=CANARY", "users#CANARY", "https://user:CANARY@evil.com",
      "//user:CANARY@evil.com",
      "https://evil.com/?CANARY", "//CANARY@evil.com", "https://CANARY@evil.com",
      "a%zz?token=CANARY",
    ])
  func secrets(endpoint: String) throws {
    let error = try #require(refusal(of: endpoint))
    var dumped = ""
    dump(error, to: &dumped)
    #expect(!(error.description + dumped).contains("CANARY"))
  }

  @Test("Errors show 60 characters of the path at most")
  func longText() throws {
    let error = try #require(refusal(of: String(repeating: "é", count: 1_000) + "?"))
    #expect(error.excerpt == String(repeating: "\\u{00E9}", count: 60) + "…")
  }
}

@Suite("SEC-02: a parameter of a path")
struct PathParameterTests {
  @Test(
    "A parameter stays one segment, with any value",
    arguments: [
      "//evil.com", "///evil.com", "/\\evil.com", "\\\\evil.com", "@evil.com", ":80@evil.com",
      "https://evil.com", "HTTPS:evil.com", "javascript:", "data:", "../", "%2e%2e", "%2E./",
      "..%2f", "..;/", "a/../../b", "%00", "\0", "\t", "\n", "\r", " ", "#frag", "?q", ";p", "😀",
      "e\u{301}", "\u{E9}", "\u{2028}", "\u{FF0F}", "\u{202E}", "/", "group/project", "...",
    ])
  func oneSegment(value: String) throws {
    var path = try EndpointPath("projects")
    try path.append(segment: value)
    try path.append(EndpointPath("/issues"))
    let url = try BaseURL("https://api.example.com/v1").url(path: path)
    let components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
    let segments = components.percentEncodedPath.split(
      separator: "/", omittingEmptySubsequences: false)
    try #require(segments.count == 5)
    #expect(segments[3].removingPercentEncoding.map { Array($0.utf8) } == Array(value.utf8))
    #expect(components.host == "api.example.com")
    #expect(components.query == nil && components.fragment == nil)
  }

  @Test("A parameter that is not a segment is refused", arguments: ["", ".", ".."])
  func refused(value: String) throws {
    var path = try EndpointPath("users")
    #expect(throws: URLJoinError.self) { try path.append(segment: value) }
    #expect(path.encoded == "users")
  }

  @Test("A parameter that makes the path too long is refused, and not shown")
  func length() throws {
    var path = try EndpointPath("users/")
    try path.append(segment: "7")
    #expect(path.encoded == "users/7")
    let value = String(repeating: "é", count: 15_000)
    do throws(URLJoinError) {
      try path.append(segment: value)
      Issue.record("a path of 90 kB was accepted")
    } catch {
      #expect(error.part == .pathParameter)
      #expect(error.excerpt == nil)
    }
  }
}
