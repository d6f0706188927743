import Foundation
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("The JSON grammar")
struct JSONGrammarTests {
  @Test(
    "The scanner accepts the texts that Foundation accepts",
    arguments: [
      "{}", "[]", "[1,]", #"{"a":1,}"#, "[1 , ]", #"{"a":1 , }"#, "[1,\n\n]", "[[],]", "[{},]",
      "1", #""a""#, "null", "true", "false", "true ", "-0", "-0.0", "0e0", "1E5", "1e+5", "1e-5",
      "-1.5e-3", "9007199254740993", "123456789012345678901234567890", #""\u0000""#,
      #""\ud800\udc00""#, #""\uD83D\uDE00""#, #""\uDBFF\uDFFF""#, "\"\u{7F}\"",
      #""\/\b\f\n\r\t\"\\""#,
      #"{"a":1,"a":2}"#, "\"\u{2028}\"", "\"\u{10FFFF}\"", "\"\u{FFFE}\"", "\"\u{D7FF}\u{E000}\"",
      " \r\n\t 1 \r\n\t", #"{"":{"":[]}}"#, "\u{FEFF}{}", #"["ab\"cdefghijklmnop"]"#,
      #"["1234567","12345678","123456789"]"#, "\"é\u{800}\u{FFFF}\u{10000}\"",
      "[        1        ]", #""\ud7ff\ue000""#, "\"é\u{7F}\"",
    ]
  )
  func accepted(text: String) {
    let body = Data(text.utf8)
    #expect(FoundationVerdict.decoderAccepts(body))
    #expect(FoundationVerdict.serializationAccepts(body))
    #expect(EnvelopeVerdict.error(for: body) == nil)
  }

  @Test(
    "The scanner refuses the texts that Foundation refuses",
    arguments: [
      "", " ", "[,]", "{,}", "[1,,]", #"{"a":1,,}"#, "[,1]", "tru", "nul", "fals", "trueX", "tRue",
      "[null,nulL]", "1 2", "{}x", "[]]", "{}}", "[", "{", "]", "}", "[}", "{]", #"{"a":[}]"#, "01",
      "-01", "00", "-", "1.", ".5", "1e", "1e+", "1.e5", "1e5.5", "0.0.0", "1-1", "- 1", "+1",
      "0x10", "NaN", "Infinity", "-Infinity", "[NaN]", #""\ud800""#, #""\udc00""#,
      #""\ud800\udbff""#, #""\ud800\ue000""#,
      #""\ud800\ud800""#, #""\ud800x""#, #""\ud800\u0041""#, #""\ud83d\n""#, #""\ud83d\""#,
      #""\u12G4""#, #""\u12""#, #""\u004""#, #""\U0041""#, #""\x""#, #""\'""#, "\"\t\"", "\"\0\"",
      "\"\u{1F}\"", "{\"\t\":1}", #"{"\ud800":1}"#, #"{"\x":1}"#, "{1:1}", "{a:1}", "{'a':1}",
      "['a']", #"{"a" 1}"#, #"{"a":}"#, #"{"a"}"#, #"{"a":1 "b":2}"#, "[1 2]", "[1:2]",
      #"{"a",1}"#, "\u{FEFF}", "\u{FEFF} ", "{}\u{FEFF}", "\u{C}1", "\u{B}1", "1\u{B}", "\u{A0}1",
      "[1]\u{1}", "12\0", "{}\0", "\0{}", "//c\n1", "1/*c*/", "[1]#", #""abc"#, #""abc\"#,
      #""abc\""#,
      "<html></html>", "undefined", "hello",
    ]
  )
  func refused(text: String) {
    let body = Data(text.utf8)
    #expect(!FoundationVerdict.decoderAccepts(body))
    #expect(!FoundationVerdict.serializationAccepts(body))
    #expect(EnvelopeVerdict.error(for: body) != nil)
  }

  @Test(
    "JSON is UTF-8 without gaps, as Foundation requires it",
    arguments: [
      [0xFF], [0xC0, 0x80], [0xC1, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xC3], [0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xF5, 0x80, 0x80, 0x80],
      [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
      [0xE2, 0x28, 0xA1], [0xF0, 0x9F, 0x28, 0x80], [0xF0, 0x9F, 0x98, 0x28], [0xC3, 0xC3],
      [0xBF, 0xBF], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0xC0, 0x80], [0xE2, 0x82, 0x28],
      [0xF1, 0xC0, 0x80, 0x80], [0xEF, 0xBB],
    ] as [[UInt8]], ["", "0123456", "01234567é"]
  )
  func malformedUTF8(sequence: [UInt8], before: String) {
    let text = Array("[\"\(before)".utf8) + sequence
    for body in [Data(text + Array("\"]".utf8)), Data(text)] {
      #expect(!FoundationVerdict.decoderAccepts(body))
      #expect(!EnvelopeVerdict.accepts(body))
    }
    #expect(!EnvelopeVerdict.accepts(Data(sequence)))
    let asName = Data(Array("{\"\(before)".utf8) + sequence + Array("\":1}".utf8))
    #expect(!EnvelopeVerdict.accepts(asName))
  }

  @Test(
    "Bytes that resemble a byte order mark are refused",
    arguments: [[0xEF, 0xBB], [0xEF, 0xBB, 0xBE, 0x31], [0xEF, 0xBB, 0x31, 0x31]] as [[UInt8]])
  func nearlyByteOrderMark(bytes: [UInt8]) {
    let error = EnvelopeVerdict.error(for: Data(bytes))
    #expect(error?.offset == 0)
    #expect(error?.found == .nonASCII)
  }

  @Test("Strings may hold every Unicode scalar, raw and escaped")
  func everyScalar() {
    var raw = "{\"result\":[\""
    var escaped = "[\""
    for value in UInt32(0x20)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
      raw.unicodeScalars.append(scalar)
      guard value.isMultiple(of: 17) else { continue }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16, uppercase: value.isMultiple(of: 2))
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    #expect(EnvelopeVerdict.error(for: Data((raw + "\"]}").utf8)) == nil)
    #expect(EnvelopeVerdict.error(for: Data((escaped + "\"]").utf8)) == nil)
  }

  @Test("A raw control character in a string is refused, at any place", arguments: 0..<0x20)
  func everyControlCharacter(control: UInt8) {
    // A zero among the first two bytes is taken for UTF-16.
    for place in (control == 0 ? 1 : 0)..<20 {
      var text = Array("\"01234567890123456789\"".utf8)
      text[1 + place] = control
      let error = EnvelopeVerdict.error(for: Data(text))
      #expect(error?.offset == 1 + place)
      #expect(error?.expected == .escapedControl)
    }
  }

  @Test(
    "A character among the blanks that is not a blank is refused, at any place", arguments: 1..<20)
  func everyPlaceOfNoBlank(place: Int) {
    for byte in [0x00, 0x1F, 0x21, 0xA0] as [UInt8] {
      var bytes = Array("[".utf8) + [UInt8](repeating: 0x20, count: 20) + Array("1]".utf8)
      #expect(EnvelopeVerdict.accepts(Data(bytes)))
      bytes[place] = byte
      #expect(!EnvelopeVerdict.accepts(Data(bytes)))
    }
  }

  @Test("A string ends at its first bare quote, at any place")
  func everyPlaceOfQuoteAndBackslash() {
    for length in 0..<40 {
      let filling = String(repeating: "x", count: length)
      #expect(EnvelopeVerdict.accepts(Data("\"\(filling)\"".utf8)))
      #expect(EnvelopeVerdict.accepts(Data("\"\(filling)\\\"\"".utf8)))
      for before in ["\\n", "é", "\\ud83d\\ude00"] {
        #expect(EnvelopeVerdict.accepts(Data("\"\(before)\(filling)\"".utf8)))
        #expect(!EnvelopeVerdict.accepts(Data("\"\(before)\(filling)\t\"".utf8)))
        #expect(!EnvelopeVerdict.accepts(Data("\"\(before)\(filling)".utf8)))
      }
      #expect(!EnvelopeVerdict.accepts(Data("\"\(filling)\"\"".utf8)))
      #expect(!EnvelopeVerdict.accepts(Data("\"\(filling)\\\"".utf8)))
      #expect(!EnvelopeVerdict.accepts(Data("\"\(filling)".utf8)))
    }
  }
}

@Suite("Intended differences from Foundation")
struct JSONDifferenceTests {
  @Test(
    "A well-formed number of any size is accepted: SEC-10",
    arguments: ["1e400", "-1e400", "1e-400"])
  func numbersOutOfRange(text: String) {
    #expect(!FoundationVerdict.decoderAccepts(Data(text.utf8)))
    #expect(EnvelopeVerdict.accepts(Data(text.utf8)))
  }

  @Test(
    "UTF-16 and UTF-32 are refused by name: SEC-10",
    arguments: [
      String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian,
      .utf32BigEndian,
    ], [#"{"result":{}}"#, "1", "[]"])
  func wideText(encoding: String.Encoding, text: String) throws {
    let body = try #require(text.data(using: encoding))
    #expect(FoundationVerdict.serializationAccepts(body))
    let error = try #require(EnvelopeVerdict.error(for: body))
    #expect(
      error.description
        == "not JSON at byte 0 (line 1, column 1): expected UTF-8, found UTF-16 or UTF-32")
    #expect(error.remedy.contains("send the JSON in UTF-8"))
  }

  @Test("A byte order mark of UTF-16 is recognized in either order")
  func wideByteOrderMark() {
    for mark in [[0xFE, 0xFF], [0xFF, 0xFE]] as [[UInt8]] {
      #expect(EnvelopeVerdict.error(for: Data(mark + [0x31, 0x31]))?.found == .wideText)
    }
  }

  @Test("Parts of a body that the type ignores are checked, too")
  func ignoredParts() {
    struct Empty: Decodable {}
    let body = Data(#"{"ignored":"\ud800"}"#.utf8)
    #expect((try? JSONDecoder().decode(Empty.self, from: body)) != nil)
    #expect(!EnvelopeVerdict.accepts(body))
  }
}
