import Foundation
import RESTKit
import RESTKitTesting
import Testing

@Suite("The sources of a stub's body")
struct StubBodyTests {
  private typealias Body = Result<Data, any Error>

  @Test("JSON text is sent unchanged")
  func text() throws {
    #expect(try Body.json(#"{ "a": 1,}"#).get() == Data(#"{ "a": 1,}"#.utf8))
    #expect(try Body.json("é").get() == Data([0xC3, 0xA9]))
  }

  @Test("A value is sent as its JSON")
  func encoding() throws {
    let data = try Body.json(encoding: ["a": [1, 2]]).get()
    #expect(try JSONDecoder().decode([String: [Int]].self, from: data) == ["a": [1, 2]])
  }

  @Test("A value that cannot be encoded is a failure and not a trap")
  func encodingFails() {
    let body = Body.json(encoding: [Double.nan])
    #expect(throws: EncodingError.self) { try body.get() }
    #expect(throws: EncodingError.self) {
      try StubTransport(StubAPIResponse(request: .get("/a"), result: body)).text("/a")
    }
  }

  @Test("A fixture is read from its file")
  func file() throws {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "restkit-\(UUID().uuidString).json")
    let content = Data(#"{"name": "Ada"}"#.utf8)
    try content.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    #expect(try Body.file(url).get() == content)
    let stubs = StubTransport(StubAPIResponse(request: .get("/a"), result: .file(url)))
    #expect(try stubs.text("/a") == #"{"name": "Ada"}"#)
  }

  @Test("A missing fixture fails the exchange with an error that names it")
  func missingFile() throws {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "restkit-\(UUID().uuidString)-missing.json")
    let stubs = StubTransport(StubAPIResponse(request: .get("/a"), result: .file(url)))
    let error = try #require(throws: FixtureError.self) { try stubs.text("/a") }
    #expect(error.path == url.path)
    #expect(!error.reason.isEmpty)
    #expect(
      error.description
        == "The fixture \(url.path) cannot be read: \(error.reason) "
        + "Check the path, and the target's resources.")
  }
}
