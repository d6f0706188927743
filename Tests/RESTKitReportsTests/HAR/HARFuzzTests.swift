import Fixtures
import Foundation
import StreamsTesting
import Testing

@testable import RESTKit
@testable import RESTKitReports

@Suite("SEC-17: HAR files", .timeLimit(.minutes(10)))
struct HARFuzzTests {
  private static let pieces = [
    "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "0", "-1", "1e400", "99999999999999999999",
    "\"\"",
    "\"url\"", "\"status\"", "\"text\": 1", "\"encoding\": \"base64\"", "é", "\u{0}", "[[[[",
    "http://",
  ]

  @Test("Each file is read and written back, or refused", arguments: Fuzz.seeds)
  func files(seed: UInt64) throws {
    let golden = Array(try HARFixtures.golden("browser.har"))
    Fuzz.run(seed, cases: 150) { generator, drawn in
      let data = Data(generator.mutated(golden, pieces: Self.pieces, 0...4))
      guard let har = try? HAR(data) else { return }
      guard let again = try? HAR(har.data), again == har, again.data == har.data else {
        return drawn.fail("what was read cannot be written and read again")
      }
    }
  }

  @Test("Nesting of any depth causes no crash", arguments: [100, 511, 512, 513, 100_000])
  func nesting(depth: Int) {
    let arrays = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let text = #"{"log": {"entries": [], "_deep": \#(arrays)}}"#
    if let har = try? HAR(Data(text.utf8)) { #expect(!har.data.isEmpty) }
  }
}
