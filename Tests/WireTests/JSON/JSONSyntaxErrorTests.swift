import Foundation
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("An error of JSON syntax")
struct JSONSyntaxErrorTests {
  @Test(
    "The error has the place, the expected syntax and the kind of byte found",
    arguments: [
      ("", "not JSON: the body is empty"),
      (
        " \n ",
        "not JSON at byte 3 (line 2, column 2): expected a value, found the end of the body"
      ),
      (
        "<!doctype html>",
        "not JSON at byte 0 (line 1, column 1): expected a value, "
          + "found \"<\", as HTML and XML begin with"
      ),
      (
        "{\n  \"a\": 1\n  \"b\": 2\n}",
        "not JSON at byte 13 (line 3, column 3): expected \",\" or \"}\", found a double quote"
      ),
      ("[1 2]", "not JSON at byte 3 (line 1, column 4): expected \",\" or \"]\", found a digit"),
      ("[1,", "not JSON at byte 3 (line 1, column 4): expected a value, found the end of the body"),
      (
        "{,}",
        "not JSON at byte 1 (line 1, column 2): "
          + "expected a member name in double quotes or \"}\", found \",\""
      ),
      (
        "{\"a\":1,b",
        "not JSON at byte 7 (line 1, column 8): expected a member name in double quotes, "
          + "found a letter"
      ),
      (
        "{\"a\"=1}",
        "not JSON at byte 4 (line 1, column 5): expected \":\" after a member name, "
          + "found another character"
      ),
      (
        "{}{}",
        "not JSON at byte 2 (line 1, column 3): expected nothing after the top-level value, "
          + "found \"{\""
      ),
      (
        "nil", "not JSON at byte 1 (line 1, column 2): expected true, false or null, found a letter"
      ),
      ("-x", "not JSON at byte 1 (line 1, column 2): expected a digit, found a letter"),
      (
        "012",
        "not JSON at byte 1 (line 1, column 2): expected no digit after a leading zero, "
          + "found a digit"
      ),
      (
        "\"abc",
        "not JSON at byte 4 (line 1, column 5): expected a double quote at the end of a string, "
          + "found the end of the body"
      ),
      (
        "\"a\nb\"",
        "not JSON at byte 2 (line 1, column 3): "
          + "expected control characters in a string to be written as escapes, "
          + "found control character 10"
      ),
      (
        "\"\\x\"",
        "not JSON at byte 2 (line 1, column 3): expected one of \"\\/bfnrtu after a backslash, "
          + "found a letter"
      ),
      (
        "\"\\u00",
        "not JSON at byte 5 (line 1, column 6): expected four hexadecimal digits after \\u, "
          + "found the end of the body"
      ),
      (
        "\"\\udead\"",
        "not JSON at byte 1 (line 1, column 2): "
          + "expected a high surrogate escape followed by a low one, "
          + "found half of a surrogate pair"
      ),
      ("é", "not JSON at byte 0 (line 1, column 1): expected a value, found a byte outside ASCII"),
      ("[\\]", "not JSON at byte 1 (line 1, column 2): expected a value, found a backslash"),
      (
        "[1\u{7F}]",
        "not JSON at byte 2 (line 1, column 3): expected \",\" or \"]\", "
          + "found control character 127"
      ),
      ("1. 5", "not JSON at byte 2 (line 1, column 3): expected a digit, found a blank"),
    ])
  func description(body: String, expected: String) throws {
    let error = try #require(EnvelopeVerdict.error(for: Data(body.utf8)))
    #expect(error.description == expected)
  }

  @Test(
    "The error's place is the byte at which the text could no longer continue",
    arguments: [
      ("", 0, .value), ("\"\\", 2, .escape), ("\"\\n", 3, .stringEnd), ("\"é", 3, .stringEnd),
      ("\"天", 4, .stringEnd), ("\"😀", 5, .stringEnd), ("\"\\u12G4\"", 5, .hexDigits),
      ("\"\\ud83d\\u00", 11, .hexDigits), ("\"\\ud83d\\u0g00\"", 10, .hexDigits),
      ("\"\\ud83d\\", 1, .surrogatePair), ("\"abcdefgh\\q\"", 10, .escape),
    ] as [(String, Int, JSONSyntaxError.Expectation)])
  func place(body: String, offset: Int, expected: JSONSyntaxError.Expectation) throws {
    let error = try #require(EnvelopeVerdict.error(for: Data(body.utf8)))
    #expect(error.offset == offset)
    #expect(error.expected == expected)
  }

  @Test("The error knows the kind of each byte")
  func kinds() {
    for byte in UInt8.min...UInt8.max {
      let scalar = Unicode.Scalar(byte)
      let expected: JSONSyntaxError.Finding =
        switch Character(scalar) {
        case "{", "}", "[", "]", ":", ",": .structure(byte)
        case "\"": .quote
        case "\\": .backslash
        case "<": .lessThanSign
        case " ", "\t", "\n", "\r": .blank
        case _ where byte >= 0x80: .nonASCII
        case _ where scalar.properties.isAlphabetic: .letter
        case _ where scalar.properties.numericType != nil: .digit
        case _ where scalar.properties.generalCategory == .control: .controlCharacter(byte)
        default: .otherASCII
        }
      #expect(JSONSyntaxError.Finding(byte) == expected, "\(byte)")
    }
  }

  @Test("The error distinguishes malformed UTF-8 from other faults")
  func malformedUTF8() throws {
    let error = try #require(EnvelopeVerdict.error(for: Data([0x22, 0x41, 0xFF, 0x22])))
    #expect(
      error.description
        == "not JSON at byte 2 (line 1, column 3): expected UTF-8, found a byte outside ASCII")
  }

  @Test("The error never holds text of the body")
  func noTextOfTheBody() throws {
    var generator = SeededGenerator(seed: 11)
    let secret = "CANARY7319"
    let document = #"{"token":"CANARY7319","CANARY7319":[7319,{"a":"CANARY7319"}],"result":{}}"#
    let errors = (0..<2_000).compactMap { _ -> JSONSyntaxError? in
      var bytes = Array(document.utf8)
      bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
        in: 0...255, using: &generator)
      return EnvelopeVerdict.error(for: Data(bytes))
    }
    #expect(errors.count > 500)
    for error in errors {
      var dumped = ""
      dump(error, to: &dumped)
      for text in [error.description, String(reflecting: error), dumped] {
        #expect(!text.contains("CANARY"))
        #expect(!text.contains(secret.suffix(4)) || "\(error.offset)" == "7319")
      }
    }
  }
}
