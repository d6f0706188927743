import Foundation
import RESTKit
import Streams
import Testing

extension IntegrationTests {
  @Suite("Multipart forms")
  struct Multipart {
    /// The content of a form as httpbin's `/post` reads it.
    private struct Form: Decodable, Sendable {
      let form: [String: Echo.Values]
      let files: [String: Echo.Values]
      let headers: [String: String]
    }

    private let text = "„Grüße“\r\n--x\r\n\r\n"

    private func withFile(_ data: Data, _ body: (URL) async throws -> Void) async throws {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try data.write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      try await body(file)
    }

    @Test("a server reads the fields and files of a form", arguments: TransportKind.allCases)
    func form(kind: TransportKind) async throws {
      let bytes = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
      try await withFile(bytes) { file in
        let response = try await HttpbinAPI(kind).post(
          endpoint: "post",
          body: .multipart([
            .text(name: "title", text), .text(name: "tag", "a"), .text(name: "tag", ""),
            .data(name: "crop; x=é", Data("{}".utf8), contentType: "application/json"),
            .data(name: "notes", Data(text.utf8), filename: "a;b.txt", contentType: "text/plain"),
            .file(name: "photo", file, filename: "„Größe“.jpg"),
          ])
        ).decode(type: Form.self).value
        #expect(response.form == ["title": [text], "tag": ["a", ""], "crop; x=é": ["{}"]])
        #expect(response.files["notes"] == [text])
        let photo = try #require(response.files["photo"]?.all.first)
        let prefix = "data:application/octet-stream;base64,"
        #expect(Data(base64Encoded: String(photo.dropFirst(prefix.count))) == bytes)
        let length = try #require(response.headers["Content-Length"].flatMap { Int($0) })
        #expect(length > bytes.count)
        #expect(response.headers["Transfer-Encoding"] == nil)
      }
    }

    @Test("a form is sent again to the target of a 307", arguments: TransportKind.allCases)
    func redirect(kind: TransportKind) async throws {
      try await withFile(Data("file".utf8)) { file in
        let response = try await HttpbinAPI(kind).post(
          endpoint: "redirect-to",
          query: [
            URLQueryItem(name: "url", value: "/post"),
            URLQueryItem(name: "status_code", value: "307"),
          ],
          body: .multipart([.text(name: "a", "b"), .file(name: "c", file)])
        ).decode(type: Form.self).value
        #expect(response.form == ["a": ["b"]])
        #expect(response.files == ["c": ["file"]])
      }
    }
  }
}
