import Foundation
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("The object under a key of a JSON body")
struct JSONEnvelopeTests {
  private func unwrapped(_ body: String, key: String = "result") throws -> String {
    String(decoding: try JSONEnvelope.unwrap(Data(body.utf8), key: key), as: UTF8.self)
  }

  @Test(
    "The unwrapped body is exactly the bytes of the object",
    arguments: [
      (#"{"result":{}}"#, "{}"),
      (#"{"result":{"id":1}}"#, #"{"id":1}"#),
      (#"{ "result" : { "id" : 1 } }"#, #"{ "id" : 1 }"#),
      ("{\"result\"\t:\r\n{\"id\":\n1.50}\n}\n", "{\"id\":\n1.50}"),
      (#"{"ok":true,"result":{"a":{"b":[{}]}},"meta":{"n":1}}"#, #"{"a":{"b":[{}]}}"#),
      (#"{"result":{"a":1,},}"#, #"{"a":1,}"#),
      (#"{"result":{"n":9007199254740993,"m":1.10}}"#, #"{"n":9007199254740993,"m":1.10}"#),
      (#"{"result":{"s":"}\"{","t":"é\u00e9"}}"#, #"{"s":"}\"{","t":"é\u00e9"}"#),
      (#"{"result":{"__proto__":{"x":1}}}"#, #"{"__proto__":{"x":1}}"#),
      (#"{"a":[{"result":{"no":1}}],"result":{"yes":1}}"#, #"{"yes":1}"#),
      (#"{"result":{"result":{"inner":1}}}"#, #"{"result":{"inner":1}}"#),
    ]
  )
  func slice(body: String, expected: String) throws {
    #expect(try unwrapped(body) == expected)
  }

  @Test(
    "A body of another form passes unchanged: SEC-10",
    arguments: [
      #"{"result":null}"#, #"{"result":[]}"#, #"{"result":[{"id":1}]}"#, #"{"result":"{}"}"#,
      #"{"result":1}"#, #"{"result":true}"#, #"{"data":{"id":1}}"#, #"{"Result":{"id":1}}"#,
      #"{"data":{"result":{"id":1}}}"#, "{}", "[]", #"[{"result":{}}]"#, #""result""#, "1", "null",
      #" { "results" : {} , "resul" : {} } "#, #"{"__proto__":{"result":{}}}"#,
      #"{"results":{"a":1},"result ":{}}"#, #"{"result":[{"result":{}}],"a":{"result":{}}}"#,
    ]
  )
  func passesUnchanged(body: String) throws {
    #expect(try unwrapped(body) == body)
  }

  @Test(
    "The first of two members counts, as with JSONDecoder: SEC-10",
    arguments: [
      (#"{"result":{"n":1},"result":{"n":2}}"#, #"{"n":1}"#),
      (#"{"result":{"n":1},"result":3}"#, #"{"n":1}"#),
      (#"{"result":{},"result":{"n":2}}"#, "{}"),
      (#"{"result":null,"result":{"n":2}}"#, #"{"result":null,"result":{"n":2}}"#),
      (#"{"result":[],"result":{"n":2}}"#, #"{"result":[],"result":{"n":2}}"#),
      (#"{"result":"a","res\u0075lt":{"n":2}}"#, #"{"result":"a","res\u0075lt":{"n":2}}"#),
    ]
  )
  func firstOfTwo(body: String, expected: String) throws {
    #expect(try unwrapped(body) == expected)
    struct Envelope: Decodable {
      struct Content: Decodable { let n: Int? }
      let result: Content?
    }
    if expected != body {
      let decoded = try JSONDecoder().decode(Envelope.self, from: Data(body.utf8))
      let sliced = try JSONDecoder().decode(Envelope.Content.self, from: Data(expected.utf8))
      #expect(decoded.result?.n == sliced.n)
    }
  }

  @Test(
    "A key matches by its meaning, with escapes decoded",
    arguments: [
      (#"{"res\u0075lt":{"n":1}}"#, "result"),
      (#"{"\u0072\u0065\u0073\u0075\u006C\u0074":{"n":1}}"#, "result"),
      (#"{"a\/b":{"n":1}}"#, "a/b"),
      (#"{"\"\\\b\f\n\r\t":{"n":1}}"#, "\"\\\u{8}\u{c}\n\r\t"),
      (#"{"😀":{"n":1}}"#, "😀"),
      (#"{"\ud83d\uDE00":{"n":1}}"#, "😀"),
      (#"{"\ud800\udc00":{"n":1}}"#, "\u{10000}"),
      (#"{"\uDBFF\uDFFF":{"n":1}}"#, "\u{10FFFF}"),
      (#"{"\uD7FF\uE000":{"n":1}}"#, "\u{D7FF}\u{E000}"),
      (#"{"\u00e9":{"n":1}}"#, "\u{E9}"),
      (#"{"":{"n":1}}"#, ""),
      (#"{"\u0000":{"n":1}}"#, "\0"),
      (#"{"ключ-длиннее-восьми":{"n":1}}"#, "ключ-длиннее-восьми"),
    ]
  )
  func nameWithEscapes(body: String, key: String) throws {
    #expect(try unwrapped(body, key: key) == #"{"n":1}"#)
  }

  @Test(
    "A key that only begins or looks like the name does not match",
    arguments: [
      (#"{"res\u0075l":{"n":1}}"#, "result"), (#"{"res\u0075lts":{"n":1}}"#, "result"),
      (#"{"res\\u0075lt":{"n":1}}"#, "result"), (#"{"\u0065\u0301":{"n":1}}"#, "\u{E9}"),
      (#"{"e\u0301":{"n":1}}"#, "\u{E9}"), (#"{"result\u0000":{"n":1}}"#, "result"),
    ]
  )
  func otherName(body: String, key: String) throws {
    #expect(try unwrapped(body, key: key) == body)
  }

  @Test("The payload has indices from zero, even if the body is a slice")
  func indicesFromZero() throws {
    let padded = Data(#"xxxx{"ok":1,"result":{"id":"a longer text than fits inline"}}yy"#.utf8)
    let body = padded.dropFirst(4).dropLast(2)
    #expect(body.startIndex == 4)
    let object = try JSONEnvelope.unwrap(body, key: "result")
    #expect(object.startIndex == 0)
    #expect(object == Data(#"{"id":"a longer text than fits inline"}"#.utf8))
  }

  @Test("The object is found behind a byte order mark; a body that passes unchanged keeps the mark")
  func byteOrderMark() throws {
    #expect(try unwrapped("\u{FEFF}{\"result\":{\"a\":1}}") == #"{"a":1}"#)
    #expect(try unwrapped("\u{FEFF}[1]") == "\u{FEFF}[1]")
    #expect(!EnvelopeVerdict.accepts(Data("\u{FEFF}".utf8)))
    #expect(!EnvelopeVerdict.accepts(Data("\u{FEFF}\u{FEFF}{}".utf8)))
    #expect(!EnvelopeVerdict.accepts(Data("{}\u{FEFF}".utf8)))
  }

  @Test("The payload decodes to the value that JSONDecoder finds under the key of the whole body")
  func decodesAlike() throws {
    let body = Data(
      #"{"x":[1,{"result":2}],"result":{"a":[1,2.5,-0,1e3],"b":{"c":null},"d":"\u00e9\n"},"y":0}"#
        .utf8)
    let whole = try JSONDecoder().decode([String: DecodedJSON].self, from: body)
    let sliced = try JSONEnvelope.unwrap(body, key: "result")
    #expect(try JSONDecoder().decode(DecodedJSON.self, from: sliced) == whole["result"])
  }
}
