import Fixtures
import Foundation
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("SEC-17: problem details", .timeLimit(.minutes(10)))
struct ProblemFuzzTests {
  private static let pieces = [
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0000", "\\ud800", "\"type\"", "\"status\"", "1",
    "-1", "1e400", "99999999999999999999", "null", "true", "javascript:", "é", "\u{1}", "\0",
    "\u{FEFF}", "\r\n", "canary", " ",
  ]

  private static let seeds = [
    #"{"type":"https://example.com/p","title":"canary","status":403,"detail":"canary","x":[1]}"#,
    #"{"type":"about:blank","instance":"/canary","status":500.0}"#, #"{"title":{},"status":[]}"#,
  ]

  @Test("Each body gives a problem or none, and no text shows any of it", arguments: Fuzz.seeds)
  func problems(seed: UInt64) throws {
    var read = 0
    try Fuzz.run(seed, cases: 1_500) { generator, drawn in
      let document = Array(generator.one(of: Self.seeds).utf8)
      let bytes = generator.mutated(document, pieces: Self.pieces, 0...4)
      let response = try makeResponse(
        Data(bytes), status: 403, headers: ["Content-Type": "application/problem+json"])
      let error = RESTError(unacceptable: response)
      read += error.problem == nil ? 0 : 1
      guard error.kind == .status(403), error.body == Data(bytes) else {
        return drawn.fail("another error came of it")
      }
      guard !"\(error)".contains("canary"), !error.localizedDescription.contains("canary") else {
        return drawn.fail("the server's words are in the text")
      }
      // Foundation does not check the parts of a document that are not decoded.
      let first = String(decoding: bytes, as: UTF8.self).unicodeScalars.first {
        !$0.properties.isWhitespace && $0 != "\u{FEFF}" && $0 != "\0"
      }
      let isObject = first == "{"
      guard error.problem == nil || isObject else {
        return drawn.fail("a problem was read from what is no object")
      }
    }
    #expect(read > 0)
  }
}
