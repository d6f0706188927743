import Fixtures
import Foundation
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("SEC-11, SEC-17: masks of drawn texts", .timeLimit(.minutes(10)))
struct ContentMaskFuzzTests {
  private static let pieces = [
    "{", "}", "[", "]", ",", ":", "=", "&", ";", "<", ">", "</", "/>", "\"", "'", "\\", "\\\"",
    "\"\"\"", "?", "#", "://", "@", "$", "\n", "\r\n", " ", "data:", "%22", "%7B", "é", "token",
    "name", "value", "password", "tokens", "Bearer ", "<![CDATA[", "]]>", "--b", "export ", "1",
    "true", "a",
  ]

  @Test("A drawn text is read to its end, and JSON stays JSON", arguments: Fuzz.seeds)
  func drawn(seed: UInt64) {
    Fuzz.run(seed, cases: 2_000) { generator, drawn in
      let count = generator.number(0...40)
      let text = (0..<count).map { _ in generator.one(of: Self.pieces) }.joined()
      _ = Redaction.byName.text(inside: text)
      _ = Redaction.byName.body(Data(text.utf8), contentType: "multipart/form-data; boundary=b")
      let json = Data(#"{"a": \#(JSONMask.quoted(text)), "token": \#(JSONMask.quoted(text))}"#.utf8)
      guard let masked = Redaction.byName.body(json, contentType: "application/json"),
        let members = try? JSONDecoder().decode([String: String].self, from: masked),
        members["token"] == Redaction.mark
      else { return drawn.fail("\(text) is no JSON any more") }
    }
  }

  @Test("A secret is hidden between any texts, however it is written", arguments: Fuzz.seeds)
  func hidden(seed: UInt64) {
    let spellings = [
      #"{"token": "canary"}"#, "token=canary", #"token: "canary""#, "<token>canary</token>",
      "<a token='canary'/>", "https://h/?token=canary", "token: Bearer canary",
      #"{"name": "token", "value": "canary"}"#, "a=b&token=canary", #"{"tokens": ["canary"]}"#,
    ]
    Fuzz.run(seed, cases: 2_000) { generator, drawn in
      let words = ["the ", "1 ", "é ", "(a) ", "user=ada ", "page: 2 ", "<b>c</b> ", "\n"]
      let before = (0..<generator.number(0...3)).map { _ in generator.one(of: words) }.joined()
      let after = (0..<generator.number(0...3)).map { _ in " " + generator.one(of: words) }.joined()
      let text = before + generator.one(of: spellings) + after
      let json = #"{"a": [\#(JSONMask.quoted(text))]}"#
      for text in [text, json, "a=\(JSONMask.quoted(json))"] {
        let shown = Redaction.byName.text(inside: text)
        if shown.contains("canary") { return drawn.fail("\(text) shows it: \(shown)") }
      }
    }
  }
}
