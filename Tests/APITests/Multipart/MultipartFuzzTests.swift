import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit
@testable import RESTKitTesting

@Suite("Multipart forms against the stub parser", .timeLimit(.minutes(10)))
struct MultipartFuzzTests {
  private static let names = [
    "a", "name", "=", ";", "; ", "\"", "\r", "\n", "\r\n", "%22", "%", "\\", "é", "e\u{301}",
    "\u{301}", "😀", "\0", " ", "filename=\"x\"", ":", "--", "\u{2028}",
  ]
  private static let types = ["text/plain", "image/png; a=\"b\"", "application/x-a+b;c=d"]
  private static let request = RequestSummary(method: .post, url: nil)

  /// Pieces of contents that look like what stands between them.
  private static func content(_ generator: inout SeededGenerator, boundary: String) -> Data {
    let pieces = [
      boundary, "\(boundary)-1", "\(boundary)-2--", "--", "\r\n", "\r\n--", "\r", "\n", "-", "é",
      "\r\n\r\n", "Content-Disposition: form-data; name=\"b\"", "", "\0",
    ]
    var bytes = Data(generator.text(of: pieces, 0...8).utf8)
    if generator.number(0...3) == 0 { bytes.append(UInt8.random(in: 128...255, using: &generator)) }
    return bytes
  }

  @Test("Each form is read back as its parts", arguments: Fuzz.seeds)
  func roundTrip(seed: UInt64) async throws {
    let folder = try TemporaryFolder()
    try await Fuzz.run(seed, cases: 600) { generator, drawn in
      // The writer draws the boundary that the contents hold already.
      var again = generator
      let boundary = MultipartBoundary.draw(absentFrom: [], using: &again)
      var numbers = generator
      var parts: [MultipartForm.Part] = []
      var expected: [StubPart] = []
      for index in 0..<generator.number(0...5) {
        let name = generator.text(of: Self.names, 0...4)
        let filename = generator.number(0...1) == 0 ? nil : generator.text(of: Self.names, 1...4)
        let type = generator.number(0...1) == 0 ? nil : generator.one(of: Self.types)
        // A file that held the boundary could not be told from the form.
        let isFile = generator.number(0...7) == 0
        let data = Self.content(&generator, boundary: isFile ? "--" : boundary)
        if isFile {
          let file = try folder.file("\(drawn.number)-\(index)", data)
          parts.append(.file(name: name, file, filename: filename, contentType: type))
        } else {
          parts.append(.data(name: name, data, filename: filename, contentType: type))
        }
        expected.append(
          StubPart(
            name: name, filename: filename ?? (isFile ? "\(drawn.number)-\(index)" : nil),
            contentType: type, data: data))
      }
      let form = MultipartForm(parts, using: &numbers)
      let body = try form.body(for: Self.request)
      let bytes = try await body.collected().value
      guard body.length == Int64(bytes.count) else { return drawn.fail("another length") }
      guard let sent = StubPart.parts(of: bytes, contentType: form.contentType) else {
        return drawn.fail("\(bytes) is no form")
      }
      let differences = StubPart.differences(of: expected, to: sent)
      guard differences.isEmpty else { return drawn.fail("\(differences)") }
    }
  }
}
