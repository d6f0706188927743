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
    let error = #expect(throws: StubError.self) {
      try StubTransport(StubAPIResponse(request: .get("/a"), result: body)).text("/a")
    }
    #expect(error?.failures.map(\.kind) == [.invalidStub])
    #expect(error?.failures.first?.underlyingError is EncodingError)
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
    let line = #line + 1
    let stubs = StubTransport(StubAPIResponse(request: .get("/a"), result: .file(url)))
    let error = try #require(throws: StubError.self) { try stubs.text("/a") }
    #expect(error.failures.map(\.kind) == [.invalidStub])
    #expect(error.failures.map(\.location.line) == [UInt(line)])
    let fixture = try #require(error.failures.first?.underlyingError as? FixtureError)
    #expect(fixture.path == url.path)
    #expect(!fixture.reason.isEmpty)
    #expect(
      error.description
        == "GET \(base)/a → failure (RESTKitTestingTests/StubBodyTests.swift:\(line)) has no body: "
        + "The fixture \(url.path) cannot be read: \(fixture.reason) "
        + "Check the path, and the target's resources.")
    let verified = #expect(throws: StubError.self) { try stubs.verify() }
    #expect(verified?.description == error.description)
    // Asked for again, it is the same mistake.
    #expect(throws: StubError.self) { try stubs.text("/a") }
  }

  @Test("A missing fixture fails the test, asked for or not", arguments: [true, false])
  func unusedMissingFile(isOptional: Bool) throws {
    let script = StubAPIResponse(
      request: .get("/a"), result: .file(URL(filePath: "/nowhere/orders.json")))
    let stubs = StubTransport(isOptional ? script.optional() : script)
    let error = #expect(throws: StubError.self) { try stubs.verify() }
    #expect(error?.failures.map(\.kind) == [.invalidStub])
    #expect(error?.description.contains("The fixture /nowhere/orders.json cannot be read") == true)
  }

  @Test("A missing fixture that repeats is one failure of its test")
  func repeatedMissingFile() {
    var failures: [StubFailure] = []
    StubTransport.verifyingAll {
      let stubs = StubTransport(
        StubAPIResponse(
          request: .get("/a"), result: .file(URL(filePath: "/nowhere/orders.json"))
        ).always())
      for _ in 1...3 {
        let error = #expect(throws: StubError.self) { try stubs.text("/a") }
        #expect(error?.description.contains("See the report at") == true)
      }
    } report: {
      failures.append($0)
    }
    #expect(failures.map(\.kind) == [.invalidStub])
  }
}
