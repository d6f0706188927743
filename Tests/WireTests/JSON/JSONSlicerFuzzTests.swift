import Fixtures
import Foundation
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("SEC-17: the JSON slicer against a plain one", .timeLimit(.minutes(10)))
struct JSONSlicerFuzzTests {
  private static let pieces = [
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud83d", "\\ude00", "\\u0072", "\\n", "0",
    "1", "-", ".", "e", "E+", "1e400", "true", "false", "null", "nul", " ", "\n", "\t",
    "\"result\"", "\"result\":{", "\"res\\u0075lt\":", "\"a\":", "é", "天", "😀", "\u{FEFF}",
    "\u{1}", "\u{7F}", "\0", "{}", "[]", ",}", ",]", "\"\"", "//", "'", "x",
  ]

  /// A document of JSON, at most so deep.
  private func document(_ generator: inout SeededGenerator, depth: Int) -> String {
    let blank = generator.one(of: ["", "", "", " ", "\n\t"])
    let comma = generator.one(of: ["", "", ","])
    switch generator.number(0...(depth > 0 ? 9 : 5)) {
    case 0: return generator.one(of: ["true", "false", "null"])
    case 1: return generator.one(of: ["0", "-0", "1.5e-3", "12345678901234567890", "1E400"])
    case 2...5:
      return generator.one(of: [
        "\"\"", "\"é\"", "\"\\ud83d\\ude00\"", "\"0123456789abcdef\"", "\"}{\"",
      ])
    case 6, 7:
      let values = (0..<generator.number(0...3)).map { _ in document(&generator, depth: depth - 1) }
      return "[" + blank + values.joined(separator: ",") + (values.isEmpty ? "" : comma) + "]"
    default:
      let names = ["result", "res\\u0075lt", "results", "a", "", "\\u0000", "é"]
      let members = (0..<generator.number(0...3)).map { _ in
        "\"\(generator.one(of: names))\"\(blank):\(blank)" + document(&generator, depth: depth - 1)
      }
      return "{" + members.joined(separator: "," + blank) + (members.isEmpty ? "" : comma) + "}"
    }
  }

  @Test("Each document has the same slice, or both slicers refuse it", arguments: Fuzz.seeds)
  func slices(seed: UInt64) throws {
    var accepted = 0
    var sliced = 0
    Fuzz.run(seed, cases: 6_000) { generator, drawn in
      var bytes = Array("{\"result\":\(document(&generator, depth: 4)),\"x\":1}".utf8)
      if generator.number(0...3) == 0 { bytes = Array(document(&generator, depth: 5).utf8) }
      bytes = generator.mutated(bytes, pieces: Self.pieces, 0...3)
      let expected = ReferenceSlicer.slice(bytes)
      let actual = (try? JSONEnvelope.unwrap(Data(bytes), key: "result")).map(Array.init)
      guard actual == expected else {
        return drawn.fail("\(String(decoding: bytes, as: UTF8.self)) has another slice")
      }
      accepted += expected == nil ? 0 : 1
      sliced += expected == nil || expected == bytes ? 0 : 1
      guard expected != nil, !bytes.contains(0) else { return }
      // Foundation knows no other numbers than a Double's.
      let text = String(decoding: bytes, as: UTF8.self)
      if text.firstMatch(of: /[eE][+-]?[0-9]{3}/) != nil { return }
      guard FoundationVerdict.serializationAccepts(Data(bytes)) else {
        return drawn.fail("Foundation refuses \(text)")
      }
    }
    try #require(accepted > 0)
    #expect(sliced > 0)
  }
}
