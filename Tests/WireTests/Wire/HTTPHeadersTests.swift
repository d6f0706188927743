import Fixtures
import Testing

@testable import RESTKit

@Suite("Header fields")
struct HTTPHeadersTests {
  private let sample: HTTPHeaders = [
    "Accept": "a", "X-One": "1", "accept": "b", "Set-Cookie": "c=1", "set-cookie": "d=2",
  ]

  @Test("Names match in any case, and all lines of a name are kept in order")
  func values() {
    #expect(sample.values(for: "ACCEPT") == ["a", "b"])
    #expect(sample.values(for: "none").isEmpty)
    #expect(sample.map(\.name) == ["Accept", "X-One", "accept", "Set-Cookie", "set-cookie"])
    #expect(sample.contains("x-ONE"))
  }

  @Test("Lines of a name are joined, except cookies")
  func joining() {
    #expect(sample["Accept"] == "a, b")
    #expect(sample["Set-Cookie"] == "c=1")
    #expect(sample["none"] == nil)
  }

  @Test("Only ASCII letters match without case")
  func cases() {
    let headers: HTTPHeaders = ["A@": "1", "A[": "2"]
    #expect(headers["a`"] == nil)
    #expect(headers["a{"] == nil)
    #expect(headers["a@"] == "1")
    for letter in "abcdefghijklmnopqrstuvwxyz" {
      #expect(HTTPHeaders.isSameName("\(letter)", letter.uppercased()))
    }
  }

  @Test("Setting a field replaces all its lines in the place of the first")
  func setting() {
    var headers = sample
    headers["ACCEPT"] = "c"
    #expect(headers.map(\.name) == ["ACCEPT", "X-One", "Set-Cookie", "set-cookie"])
    headers["New"] = "n"
    #expect(headers.last?.value == "n")
    headers["set-cookie"] = nil
    #expect(headers.map(\.name) == ["ACCEPT", "X-One", "New"])
    headers.append(name: "new", value: "m")
    #expect(headers.values(for: "New") == ["n", "m"])
    headers.remove("NEW")
    #expect(headers.count == 2)
  }

  @Test("Equality compares order and values, and ignores the case of names")
  func equality() {
    #expect(["A": "1", "B": "2"] as HTTPHeaders == ["a": "1", "b": "2"])
    #expect(["A": "1", "B": "2"] as HTTPHeaders != ["B": "2", "A": "1"])
    #expect(["A": "x"] as HTTPHeaders != ["A": "X"])
    #expect(["A": "x"] as HTTPHeaders != ["A": "x", "B": ""])
  }

  @Test(
    "No printed form shows a secret",
    arguments: ["authorization", "Proxy-Authorization", "COOKIE", "Set-Cookie", "x-api-key"])
  func redaction(name: String) {
    let headers: HTTPHeaders = [name: "hush", "X": "seen"]
    var dumped = ""
    dump(headers, to: &dumped)
    for text in [
      headers.description, headers.debugDescription, "\(headers)", String(reflecting: headers),
      dumped,
    ] {
      #expect(!text.contains("hush"))
      #expect(text.contains("seen"))
      #expect(text.contains(name))
    }
  }

  @Test(
    "No printed form shows a secret in the query of a link",
    arguments: ["location", "Content-Location", "Referer"])
  func link(name: String) {
    let headers: HTTPHeaders = [name: "https://me:hush@a.example/b?code=hush&page=2#hush"]
    var dumped = ""
    dump(headers, to: &dumped)
    for text in [headers.description, headers.debugDescription, dumped] {
      #expect(!text.contains("hush"))
      #expect(text.contains("https://a.example/b?code=REDACTED&page=2"))
      #expect(text.contains(name))
    }
    #expect((["Location": "/a?b#c"] as HTTPHeaders).description == "Location: /a?b")
  }

  @Test("A control character cannot forge a line of the description")
  func forging() {
    let headers: HTTPHeaders = ["X": "a\r\nY: b"]
    #expect(headers.description == "X: a\\r\\nY: b")
    // All else stays as it is.
    let mixed: HTTPHeaders = ["X": "é \" \\ \u{1F}\u{7F}"]
    #expect(mixed.description == "X: é \" \\ \\u{1F}\\u{7F}")
    let deleted: HTTPHeaders = ["X": "a \u{7F}"]
    #expect(deleted.description == "X: a \\u{7F}")
    // A line end and a terminal's command, beyond ASCII.
    let later: HTTPHeaders = ["X": "a\u{85}Y: b\u{9B}2J\u{A0}"]
    #expect(later.description == "X: a\\u{0085}Y: b\\u{009B}2J\u{A0}")
  }
  @Test("A control character of a name cannot forge a line of a dump")
  func forgedName() {
    let headers: HTTPHeaders = ["X\nY": "v"]
    var dumped = ""
    dump(headers, to: &dumped)
    #expect(dumped.contains("X\\nY"))
  }
}
