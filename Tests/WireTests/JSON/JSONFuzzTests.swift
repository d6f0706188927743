import Foundation
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("SEC-17: seeded fuzzing of the JSON scanner against Foundation")
struct JSONFuzzTests {
  private static let seeds = [
    #"{"result":{"id":1,"name":"Ada \"L\" é","tags":["a","b",],"x":null},"ok":true}"#,
    #"[{"result":{}},-1.5e+3,0.0,false,"\ud83d\ude00\u00e9\\",[[]],{"":{}}]"#,
    " { \"a\" : [ 1 , 2 ] ,\n\t\"result\" : { \"b\" : { \"c\" : \"0123456789\" } , } } ",
    #"{"result":[1],"result":{"a":2},"res\u0075lt":{"a":3},"t":true,"f":false,"n":null}"#,
  ]

  private static let pieces = [
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud83d", "\\ude00", "\\n", "0", "1", "-",
    ".", "e", "E+", "true", "false", "null", "nul", " ", "\n", "\t", "\"result\"", "\"result\":{",
    "\"a\":", "é", "天", "😀", "\u{1}", "\u{7F}", "{}", "[]", ",}", ",]", "\"\"", "//", "'", "x",
  ]

  private func mutated(_ document: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = document
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let place = Int.random(in: 0...bytes.count, using: &generator)
      let end = min(bytes.count, place + Int.random(in: 0...6, using: &generator))
      switch Int.random(in: 0..<6, using: &generator) {
      case 0:
        bytes.removeSubrange(place..<end)
      case 1:
        bytes.insert(contentsOf: bytes[place..<end], at: place)
      case 2 where place < bytes.count:
        bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 3 where place < bytes.count:
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      default:
        let piece = Self.pieces.randomElement(using: &generator) ?? ""
        bytes.replaceSubrange(
          place..<(Bool.random(using: &generator) ? place : end), with: piece.utf8)
      }
    }
    return bytes
  }

  /// Whether a difference from Foundation is one of those that `JSONEnvelope` documents.
  private func isDocumentedDifference(_ bytes: [UInt8]) -> Bool {
    // UTF-16 and UTF-32, and a NUL after a number, need a zero byte or a byte order mark.
    if bytes.contains(0) || bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
      return true
    }
    // A number that no Double holds needs an exponent of three digits or more.
    return String(decoding: bytes, as: UTF8.self).firstMatch(of: /[eE][+-]?[0-9]{3}/) != nil
  }

  @Test(
    "The scanner and Foundation agree on validity and on the unwrapped contents", arguments: 0..<8)
  func verdicts(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var accepted = 0
    var unwrapped = 0
    for round in 0..<4_000 {
      let document = Self.seeds[round % Self.seeds.count]
      let bytes = mutated(Array(document.utf8), &generator)
      let body = Data(bytes)
      let ours = EnvelopeVerdict.accepts(body)
      guard !isDocumentedDifference(bytes) else { continue }
      try #require(
        ours == FoundationVerdict.serializationAccepts(body), "seed \(seed): \(bytes)")
      guard ours else { continue }
      accepted += 1
      let slice = try JSONEnvelope.unwrap(body, key: "result")
      guard let decoded = try? JSONDecoder().decode(DecodedJSON.self, from: body) else {
        Issue.record("seed \(seed): JSONDecoder alone refuses \(bytes)")
        continue
      }
      let content = try JSONDecoder().decode(DecodedJSON.self, from: slice)
      if case .object(let members) = decoded, case .object(let inner)? = members["result"] {
        unwrapped += 1
        #expect(content == .object(inner), "seed \(seed): \(bytes)")
      } else {
        #expect(slice == body, "seed \(seed): \(bytes)")
      }
    }
    // The mutations are mild enough that both verdicts, and slices, are well represented.
    #expect(accepted > 200)
    #expect(unwrapped > 50)
  }

  @Test("The scanner and Foundation agree on random bytes and random tokens", arguments: 100..<104)
  func tokens(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<4_000 {
      var text = ""
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        text += Self.pieces.randomElement(using: &generator) ?? ""
      }
      let bytes = Array(text.utf8)
      guard !isDocumentedDifference(bytes) else { continue }
      try #require(
        EnvelopeVerdict.accepts(Data(bytes)) == FoundationVerdict.serializationAccepts(Data(bytes)),
        "seed \(seed): \(text)")
    }
  }

  @Test(
    "Bytes with a zero in them or a wide byte order mark are always refused", arguments: 200..<202)
  func zeroBytes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for document in Self.seeds {
      for _ in 0..<500 {
        var bytes = Array(document.utf8)
        bytes.insert(0, at: Int.random(in: 0...bytes.count, using: &generator))
        #expect(!EnvelopeVerdict.accepts(Data(bytes)))
      }
      #expect(!EnvelopeVerdict.accepts(Data([0xFF, 0xFE]) + Data(document.utf8)))
      #expect(!EnvelopeVerdict.accepts(Data([0xFE, 0xFF]) + Data(document.utf8)))
    }
  }
}
