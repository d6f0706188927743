import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

/// A record as a scanner of records finds it.
private struct FoundRecord: Equatable, CustomStringConvertible {
  let text: String
  let isSeparated: Bool

  init(_ text: some Sequence<UInt8>, isSeparated: Bool) {
    self.text = String(decoding: Array(text), as: UTF8.self)
    self.isSeparated = isSeparated
  }

  var description: String { "\(isSeparated ? "RS " : "")\(text.debugDescription)" }
}

@Suite("The ends of records in a JSON text sequence, RFC 7464")
struct JSONRecordsTests {
  /// Splits a body by the scanner of records, in chunks of the given sizes, over and over.
  private func found(_ body: [UInt8], chunks: [Int]) -> [FoundRecord] {
    var (records, found) = (JSONRecords(), [FoundRecord]())
    var (buffer, start, searched, next) = ([UInt8](), 0, 0, 0)
    var turn = 0
    while next < body.count {
      let size = min(chunks[turn % chunks.count], body.count - next)
      turn += 1
      buffer += body[next..<next + size]
      next += size
      while let end = buffer.withUnsafeBytes({ records.end(in: $0, from: searched) }) {
        found.append(
          FoundRecord(buffer[start..<end.text], isSeparated: records.wasSeparated))
        (start, searched) = (end.next, end.next)
      }
      searched = buffer.count
    }
    records.endBody()
    if start < buffer.count {
      found.append(FoundRecord(buffer[start...], isSeparated: records.wasSeparated))
    }
    return found
  }

  /// Splits a body by the words of the RFC: at separators, and then behind each whole text.
  private func expected(_ body: [UInt8]) -> [FoundRecord] {
    let parts = body.split(separator: 0x1E, omittingEmptySubsequences: false)
    var records: [FoundRecord] = []
    for (index, part) in parts.enumerated() {
      var rest = part
      var isSeparated = index > 0
      while let feed = rest.indices.first(where: { isEnd($0, of: rest) }) {
        records.append(FoundRecord(rest[...feed], isSeparated: isSeparated))
        rest = rest[(feed + 1)...]
        isSeparated = false
      }
      // A separator ends what is before it, and the body's end what is left.
      if index < parts.count - 1 || !rest.isEmpty {
        records.append(FoundRecord(rest, isSeparated: isSeparated))
      }
    }
    return records
  }

  /// Whether a line feed follows a whole text.
  private func isEnd(_ feed: Int, of text: ArraySlice<UInt8>) -> Bool {
    let before = text[..<feed]
    guard text[feed] == 0x0A, before.contains(where: { !$0.isJSONBlank }) else { return false }
    var outside = [UInt8]()
    var rest = before
    while let quote = rest.firstIndex(of: 0x22) {
      outside += rest[..<quote]
      guard let close = closingQuote(of: rest[(quote + 1)...]) else { return false }
      rest = rest[(close + 1)...]
    }
    outside += rest
    var depth = 0
    for byte in outside {
      if byte == 0x7B || byte == 0x5B { depth += 1 }
      if byte == 0x7D || byte == 0x5D, depth > 0 { depth -= 1 }
    }
    return depth == 0
  }

  private func closingQuote(of text: ArraySlice<UInt8>) -> Int? {
    var place = text.startIndex
    while place < text.endIndex {
      switch text[place] {
      case 0x22: return place
      case 0x5C: place += 2
      default: place += 1
      }
    }
    return nil
  }

  @Test("Bodies of brackets, quotes, escapes, blanks and separators split as the RFC's words say")
  func drawn() {
    let alphabet = Array("\u{1E}\u{1E}\n\n\"\"\\{}[]a1 \t\r".utf8)
    var generator = SeededGenerator(seed: 7_464)
    for round in 0..<4_000 {
      let count = Int.random(in: 0...24, using: &generator)
      let body = (0..<count).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      let expected = expected(body)
      for chunks in [[body.count + 1], [1], [2, 3, 1]] {
        let found = found(body, chunks: chunks)
        guard found != expected else { continue }
        Issue.record(
          "round \(round), \(String(decoding: body, as: UTF8.self).debugDescription), \(chunks)")
        #expect(found == expected)
        return
      }
    }
  }

  @Test(
    "What a cut record leaves open does not reach the next one",
    arguments: ["{", "[[", "\"", "\"x\\", "{\"", "[\"\\", "1", " ", ""])
  func cut(text: String) {
    for next in ["\"\"\n", "[]\n", "\n1\n", "{\"a\":\"}\"}\n", "\"\\\"\"\n"] {
      let records = found(Array("\u{1E}\(text)\u{1E}\(next)2\n".utf8), chunks: [100])
      #expect(
        records == [
          FoundRecord([], isSeparated: false), FoundRecord(text.utf8, isSeparated: true),
          FoundRecord(next.utf8, isSeparated: true),
          FoundRecord("2\n".utf8, isSeparated: false),
        ])
    }
  }

  @Test("What a whole record leaves does not reach a text without a separator")
  func unseparated() {
    for text in ["{\"a\":[1]}", "\"\\\\\"", "1", "]]"] {
      let records = found(Array("\u{1E}\(text)\n\n\"\"\n[]".utf8), chunks: [1])
      #expect(
        records == [
          FoundRecord([], isSeparated: false), FoundRecord((text + "\n").utf8, isSeparated: true),
          FoundRecord("\n\"\"\n".utf8, isSeparated: false),
          FoundRecord("[]".utf8, isSeparated: false),
        ])
    }
  }

  @Test("Too many closing brackets leave no depth that a later record would have to open")
  func strayBrackets() {
    let records = found(Array("\u{1E}]}[\n1\n]\n".utf8), chunks: [100])
    #expect(
      records == [
        FoundRecord([], isSeparated: false),
        FoundRecord("]}[\n1\n]\n".utf8, isSeparated: true),
      ])
  }

  @Test("A record whose string has an escape, a bracket or a separator's neighbor is found at once")
  func promptness() {
    for text in ["\"\\\"\"", "\"\\\\\"", "[\"]\"]", "{\"{\":\"\u{1F}\"}", "\"\u{1D}\""] {
      var records = JSONRecords()
      let body = Array("\u{1E}\(text)\n".utf8)
      _ = body.withUnsafeBytes { records.end(in: $0, from: 0) }
      let end = body.withUnsafeBytes { records.end(in: $0, from: 1) }
      #expect(end?.text == body.count, "\(text)")
      #expect(end?.next == body.count)
      #expect(records.wasSeparated)
    }
  }

  @Test("A body that ends in a record says whether a separator preceded it")
  func bodyEnd() {
    for (body, isSeparated) in [("\u{1E}[1", true), ("[1", false), ("\u{1E}[1]\n[1", false)] {
      #expect(found(Array(body.utf8), chunks: [2]).last?.isSeparated == isSeparated, "\(body)")
    }
  }

  @Test("Each record of a body with cut ones in between is a value or an error with its number")
  func numbers() {
    let text =
      "\u{1E}{\"a\":1}\n\u{1E}{\"a\":\"\\\u{1E}{\"a\":2}\n\n\u{1E} \n\u{1E}[\u{1E}{\"a\":3}\n"
    for chunks in Data(text.utf8).cuts(seed: 3) {
      let told = TellingBox()
      let outcome = chunks.body
        .decodeLines(
          of: [String: Int].self, format: .textSequence, skippingInvalid: { told.add($0) }
        ).outcome()
      #expect(outcome.values == [["a": 1], ["a": 2], ["a": 3]])
      #expect(told.errors.map { ($0.underlyingError as? LineError)?.line } == [2, 4])
    }
  }

  @Test("Only a number or a literal needs something behind it, whatever blanks precede a text")
  func faults() {
    for (text, fault) in [
      ("1", JSONLineFault.whitespaceBehindValue), (" true", .whitespaceBehindValue),
      ("\tnull", .whitespaceBehindValue), ("-1", .whitespaceBehindValue),
    ] {
      #expect(self.fault(of: "\u{1E}\(text)") == fault, "\(text)")
      for blank in [" ", "\t", "\r"] { #expect(self.fault(of: "\u{1E}\(text)\(blank)") == nil) }
    }
    for text in ["{}", " []", "\r\n\"a\"", "\t{\"a\":1}", "", " "] {
      #expect(fault(of: "\u{1E}\(text)") == nil, "\(text)")
      #expect(fault(of: text) == .separator, "\(text)")
    }
  }

  /// The fault of the record that a body ends with.
  private func fault(of body: String) -> JSONLineFault? {
    var records = JSONRecords()
    let bytes = Array(body.utf8)
    var start = 0
    while let end = bytes.withUnsafeBytes({ records.end(in: $0, from: start) }) { start = end.next }
    records.endBody()
    return records.fault(of: Data(bytes[start...]))
  }
}
