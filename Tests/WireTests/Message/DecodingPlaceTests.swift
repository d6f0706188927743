import Foundation
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("The place of a value in a body, as errors show it")
struct DecodingPlaceTests {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(name: String) {
      stringValue = name
    }

    init?(stringValue: String) {
      return nil
    }

    init?(intValue: Int) {
      return nil
    }
  }

  private func place(_ names: [String]) -> String {
    DecodingFailure.place(names.map { Key(name: $0) })
  }

  @Test("The key of a dictionary is not shown, because it comes from the body")
  func dictionary() throws {
    struct Order: Decodable {
      let items: [String: Int]
    }
    let body = Data(#"{"items": {"canary": "a"}}"#.utf8)
    let error = try #require(throws: DecodingError.self) {
      try JSONDecoder().decode(Order.self, from: body)
    }
    let failure = DecodingFailure(error, of: Order.self, in: body)
    #expect(failure.reason == #""items.*" is a string and must be of type Int"#)
    #expect(!failure.remedy.contains("canary"))
  }

  @Test("A name that a type asks for is shown, whatever names it takes")
  func missing() throws {
    struct AnyName: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }

      init(stringValue: String) { self.stringValue = stringValue }

      init?(intValue: Int) { return nil }
    }
    let key = AnyName(stringValue: "size")
    #expect(DecodingFailure.place([key], missing: key) == #""*.size""#)
  }

  @Test("A place is cut after 400 bytes", arguments: [(31, false), (32, true)])
  func length(last: Int, isCut: Bool) {
    // Nine names of 40 bytes, the dots behind them, and the last one.
    var names = Array(repeating: String(repeating: "a", count: 40), count: 9)
    names.append(String(repeating: "a", count: last))
    let path = names.joined(separator: ".")
    #expect(path.utf8.count == 369 + last)
    #expect(place(names) == (isCut ? "\"\(path)…\"" : "\"\(path)\""))
  }

  @Test("A name is cut after 40 characters", arguments: [(40, ""), (41, "…")])
  func name(count: Int, rest: String) {
    let shown = String(repeating: "é", count: 40)
    #expect(place([String(repeating: "é", count: count)]) == "\"\(shown)\(rest)\"")
  }

  @Test(
    "Invisible characters of a name are escaped, visible ones are not",
    arguments: [
      ("a\nb", #""a\nb""#), ("a\u{1B}b", #""a\u{1B}b""#), ("a\u{2028}b", #""a\u{2028}b""#),
      ("a\u{AD}b", #""a\u{00AD}b""#), ("é b", #""é b""#),
    ])
  func escapes(name: String, shown: String) {
    #expect(place([name]) == shown)
  }
}
