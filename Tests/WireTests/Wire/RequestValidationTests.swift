import Fixtures
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("SEC-05, SEC-06, SEC-07: requests that are refused before they are sent")
struct RequestValidationTests {
  @Test(
    "These URLs pass",
    arguments: [
      "http://h", "https://h/", "HTTP://H:80/x?y#z", "http://127.0.0.1:65535/a%20b",
      "http://[::1]/x", "http://[::1]:8080?q", "http://h:/x", "http://h?a=@",
      "https://xn--grn-hoa.example/", "http://h:1/", "http://h/~",
    ])
  func goodURLs(url: String) throws {
    try RequestValidation.check(url: url)
  }

  @Test(
    "These URLs are refused",
    arguments: [
      "", "h", "/x", "//h/x", "ftp://h/", "file:///etc/passwd", "http:h", "http:/h", "http://",
      "http:///x", "http://?x", "http://:80/", "http://h:0/", "http://h:65536/", "http://h:-1/",
      "http://h:1x/", "http://h:99999999999999999999/", "http://u@h/", "http://u:p@h/",
      "http://h/a b", "http://h/\r\nX: y", "http://h/\u{0}", "http://grün/", "http://[::1/",
      "http://[::1]x/", "javascript:alert(1)", "httpx://h/", "http://h\t/",
      "http://h/\u{7F}", "mailto:h", "http://h:+1/", "http://h:1:2/", "http:/h/x", "https",
      "http://good\\@evil/", "http://h/a\\b",
    ])
  func badURLs(url: String) {
    let fault = #expect(throws: TransportError.self) { try RequestValidation.check(url: url) }
    #expect(fault?.kind == .unsupportedURL)
    #expect(fault?.mayHaveBeenProcessed == false)
  }

  @Test(
    "A URL that ends early has the fault of its missing part",
    arguments: [
      ("", "it does not begin with http:// or https://"),
      ("h", "it does not begin with http:// or https://"),
      ("http:/", "it does not begin with http:// or https://"),
      ("http://", "it has no host"), ("HTTPS://", "it has no host"),
      ("http://h:0", "its port is not a number from 1 to 65535"),
    ])
  func earlyEnd(url: String, detail: String) {
    let fault = #expect(throws: TransportError.self) { try RequestValidation.check(url: url) }
    #expect(fault?.detail == detail)
  }

  @Test("These methods pass", arguments: ["GET", "PATCH", "QUERY", "M-SEARCH", "x!#$%&'*+.^_`|~"])
  func goodMethods(method: String) throws {
    try RequestValidation.check(method: method, headers: HTTPHeaders())
  }

  @Test(
    "These methods are refused",
    arguments: ["", " ", "GET ", "G\tT", "GET\r\n", "Gét", "GET/", "A:B", "CONNECT", "\u{0}"])
  func badMethods(method: String) {
    let fault = #expect(throws: TransportError.self) {
      try RequestValidation.check(method: method, headers: HTTPHeaders())
    }
    #expect(fault?.kind == .invalidRequest)
    #expect(fault?.detail.contains("method") == true)
    fault?.expectTrueWord()
  }

  @Test(
    "These header names are refused",
    arguments: [
      "", "X Y", "X:", "X\r", "X\n", "\u{0}", "Grün", ":authority", "Host", "content-LENGTH",
      "Transfer-encoding", "connection",
    ])
  func badNames(name: String) {
    let fault = #expect(throws: TransportError.self) {
      try RequestValidation.check(method: "GET", headers: [name: "v"] as HTTPHeaders)
    }
    #expect(fault?.kind == .invalidRequest)
  }

  @Test(
    "A header value may hold text of any language and tabs",
    arguments: ["", "a b", "a\tb", "grün 🙂"])
  func goodValues(value: String) throws {
    try RequestValidation.check(method: "GET", headers: ["X": value] as HTTPHeaders)
  }

  @Test(
    "These header values are refused, and not shown",
    arguments: [
      "secret\n", "secret\r", "\u{0}secret", "secret\u{7F}", "secret\u{1}", "secret\r\n x",
    ])
  func badValues(value: String) {
    let fault = #expect(throws: TransportError.self) {
      try RequestValidation.check(method: "GET", headers: ["X-Name": value] as HTTPHeaders)
    }
    #expect(fault?.kind == .invalidRequest)
    #expect(fault?.description.contains("X-Name") == true)
    #expect(fault?.description.contains("secret") == false)
  }

  @Test("Half a megabyte of URL or of headers passes, and one byte more is refused")
  func length() throws {
    let most = RequestValidation.maximumLength
    let url = "http://h/" + String(repeating: "a", count: most - 9)
    try RequestValidation.check(url: url)
    let long = #expect(throws: TransportError.self) { try RequestValidation.check(url: url + "a") }
    #expect(long?.kind == .unsupportedURL)
    #expect(long?.detail.contains("longer than \(most) bytes") == true)
    let value = String(repeating: "v", count: most / 2 - 1)
    try RequestValidation.check(method: "GET", headers: ["A": value, "B": value] as HTTPHeaders)
    let fault = #expect(throws: TransportError.self) {
      try RequestValidation.check(
        method: "GET", headers: ["A": value, "B": value, "C": ""] as HTTPHeaders)
    }
    #expect(fault?.kind == .invalidRequest)
    #expect(fault?.detail.contains("longer than \(most) bytes") == true)
  }

  @Test(
    "A name in two spellings is refused, among any number of names",
    arguments: [0, 1, 14, 15, 16, 40])
  func spellings(others: Int) throws {
    let names = (0..<others).map { "X-\($0)" }
    try RequestValidation.check(spellingsOf: names)
    try RequestValidation.check(spellingsOf: names + ["Accept"])
    for spellings in [["Accept"] + names + ["ACCEPT"], names + ["Accept", "ACCEPT"]] {
      let fault = #expect(throws: TransportError.self) {
        try RequestValidation.check(spellingsOf: spellings)
      }
      #expect(fault?.kind == .invalidRequest)
      #expect(
        fault?.detail.hasPrefix("the header ACCEPT is present in two spellings") == true)
    }
  }

  @Test("Of a name that is not a token, at most the first 40 bytes are shown")
  func longName() {
    let name = String(repeating: "a", count: 41) + ":"
    let fault = #expect(throws: TransportError.self) {
      try RequestValidation.check(method: "GET", headers: [name: ""] as HTTPHeaders)
    }
    let told = String(repeating: "a", count: 40)
    #expect(fault?.detail.contains("\"\(told)…\"") == true)
  }

  @Test("A whole line passed as a name does not show its value")
  func lineForName() {
    let fault = #expect(throws: TransportError.self) {
      try RequestValidation.check(
        method: "GET", headers: ["Authorization: Bearer secret": ""] as HTTPHeaders)
    }
    #expect(fault?.description.contains("Authorization") == true)
    #expect(fault?.description.contains("secret") == false)
  }
}
