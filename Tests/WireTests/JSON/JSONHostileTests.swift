import Foundation
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("SEC-10: hostile JSON")
struct JSONHostileTests {
  private static let document = Data(
    (#" {"ok" : true, "n":[-0, 1.5e-3,20E+2 ,[]],"none":null,"no":false,"emp":{}, "#
      + #""res\u0075lt" : {"name":"Ad\u00e9 \ud83d\ude00 Lové 天 😀 \\\/\b","deep":[[{"x":[{}]}]],}, "#
      + #""after":"0123456789abcdef" } "#).utf8)

  @Test("A document truncated at any byte is refused, as by Foundation")
  func truncation() throws {
    let document = Self.document
    let content = try JSONEnvelope.unwrap(document, key: "result")
    #expect(content.first == UInt8(ascii: "{"))
    #expect(content.last == UInt8(ascii: "}"))
    let end = try #require(document.lastIndex(of: UInt8(ascii: "}")))
    for length in 0...end {
      let cut = document.prefix(length)
      #expect(!EnvelopeVerdict.accepts(cut), "cut at \(length)")
      #expect(!FoundationVerdict.serializationAccepts(cut), "cut at \(length)")
    }
    #expect(EnvelopeVerdict.accepts(document.prefix(end + 1)))
  }

  @Test("A top-level scalar truncated at any byte is refused", arguments: ["true", "-", "\"é\""])
  func truncatedScalars(text: String) {
    let body = Data(text.utf8)
    for length in 0..<body.count {
      #expect(!EnvelopeVerdict.accepts(body.prefix(length)))
    }
  }

  @Test(
    "Nesting goes exactly as deep as Foundation's",
    arguments: [1, 63, 64, 65, 128, 129, 511, 512, 513, 514, 1_000, 100_000])
  func depth(levels: Int) {
    let arrays = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    let objects =
      String(repeating: "{\"a\":", count: levels) + "1" + String(repeating: "}", count: levels)
    let mixed =
      String(repeating: "{\"a\":[", count: levels / 2) + (levels.isMultiple(of: 2) ? "" : "{}")
      + String(repeating: "]}", count: levels / 2)
    let opened = String(repeating: "[", count: levels)
    for text in [arrays, objects, mixed] {
      let body = Data(text.utf8)
      #expect(EnvelopeVerdict.accepts(body) == (levels <= 512))
      #expect(FoundationVerdict.serializationAccepts(body) == (levels <= 512))
    }
    #expect(!EnvelopeVerdict.accepts(Data(opened.utf8)))
  }

  @Test("Nesting that is too deep is named in the error, with its place")
  func depthError() throws {
    let error = try #require(
      EnvelopeVerdict.error(for: Data(String(repeating: "[", count: 100_000).utf8)))
    #expect(error.offset == 512)
    #expect(error.expected == .shallowerNesting)
  }

  @Test(
    "Containers end with their own bracket at every depth", arguments: [1, 63, 64, 65, 200, 512])
  func brackets(levels: Int) {
    var generator = SeededGenerator(seed: UInt64(levels))
    let objects = (0..<levels).map { _ in Bool.random(using: &generator) }
    let opening = objects.map { $0 ? "{\"k\":" : "[" }.joined()
    let closing = objects.reversed().map { $0 ? "}" : "]" }
    #expect(EnvelopeVerdict.accepts(Data((opening + "0" + closing.joined()).utf8)))
    for place in 0..<levels {
      var wrong = closing
      wrong[place] = wrong[place] == "}" ? "]" : "}"
      #expect(!EnvelopeVerdict.accepts(Data((opening + "0" + wrong.joined()).utf8)))
    }
  }

  @Test("The digits of numbers stay unchanged")
  func numbersUntouched() throws {
    let numbers = #"{"a":-0,"b":9007199254740993,"c":1e400,"d":0.1000,"e":1E+2}"#
    let body = Data("{\"result\":\(numbers)}".utf8)
    #expect(try JSONEnvelope.unwrap(body, key: "result") == Data(numbers.utf8))
  }

  @Test("A member called __proto__ is an ordinary member")
  func proto() throws {
    let body = Data(#"{"__proto__":{"admin":true},"result":{"a":1}}"#.utf8)
    #expect(try JSONEnvelope.unwrap(body, key: "result") == Data(#"{"a":1}"#.utf8))
    #expect(try JSONEnvelope.unwrap(body, key: "__proto__") == Data(#"{"admin":true}"#.utf8))
  }

  @Test("A name of a megabyte of escapes neither matches nor stalls")
  func hugeName() throws {
    let name = String(repeating: "\\u0072", count: 170_000)
    let body = Data("{\"\(name)\":{\"a\":1},\"result\":{\"b\":2}}".utf8)
    #expect(try JSONEnvelope.unwrap(body, key: "result") == Data(#"{"b":2}"#.utf8))
  }
}
