import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@Suite("README.md shows what the tests compile and run")
struct ReadmeTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The fenced blocks that follow a comment such as `<!-- snippet: api -->`, by that comment's text.
  private static func blocks() throws -> [String: String] {
    var blocks: [String: String] = [:]
    var name: String?
    var body: [Substring]?
    for line in try text(of: "README.md").split(separator: "\n", omittingEmptySubsequences: false) {
      if let lines = body {
        if line == "```" {
          if let name { blocks[name] = lines.joined(separator: "\n") }
          (name, body) = (nil, nil)
        } else {
          body = lines + [line]
        }
      } else if line.hasPrefix("```") {
        if line.hasPrefix("```swift") && name == nil { Issue.record("An unnamed block: \(line)") }
        body = []
      } else if line.hasPrefix("<!-- ") {
        name = line.dropFirst(5).replacingOccurrences(of: " -->", with: "")
      }
    }
    return blocks
  }

  private static func region(_ name: String, of path: String) throws -> String {
    let text = try text(of: path)
    let start = try #require(text.range(of: "// snippet: \(name)\n")).upperBound
    let end = try #require(text.range(of: "\n// end", range: start..<text.endIndex)).lowerBound
    return String(text[start..<end])
  }

  @Test(
    "Each Swift block is a region of ReadmeExamples.swift", arguments: ["api", "subscribe", "test"])
  func snippet(name: String) throws {
    let block = try #require(try Self.blocks()["snippet: \(name)"])
    #expect(
      try block == Self.region(name, of: "Tests/RESTKitTests/Documentation/ReadmeExamples.swift"))
  }

  @Test("The first example is the quickstart's source")
  func firstExample() throws {
    let block = try #require(try Self.blocks()["file: Examples/quickstart/main.swift"])
    #expect(try block + "\n" == Self.text(of: "Examples/quickstart/main.swift"))
  }

  @Test("The text of a RESTError is the one the library gives")
  func errorText() async throws {
    let block = try #require(try Self.blocks()["output: error"])
    let api = ShopAPI(
      baseURL: "https://shop.example.com/v1",
      transport: StubTransport(
        StubAPIResponse(
          request: .init(.get, urlString: "https://shop.example.com/v1/orders"),
          result: .json(#"[{"id": 7, "total": "12.50"}]"#))))
    let error = await #expect(throws: RESTError.self) {
      try await api.get(endpoint: "orders").decode(type: [Order].self).value
    }
    #expect(Self.unwrapped(block) == error?.description)
  }

  private static let orders = "https://shop.example.com/v1/orders"

  private static func placing(_ json: String) -> StubAPIResponse {
    StubAPIResponse(
      request: StubRequest(.post, urlString: orders).jsonBody(containing: json), statusCode: 201,
      fileID: "ShopTests/OrderTests.swift", line: 15)
  }

  @Test("The report of an unmatched request is the one the library gives")
  func unmatched() async throws {
    let api = ShopAPI(
      baseURL: "https://shop.example.com/v1",
      transport: StubTransport(
        StubAPIResponse(
          request: .init(.get, urlString: Self.orders), fileID: "ShopTests/OrderTests.swift",
          line: 12
        )
        .thenRespondWith(
          request: .init(.post, urlString: Self.orders), statusCode: 201,
          fileID: "ShopTests/OrderTests.swift", line: 15)))
    let error = await #expect(throws: StubError.self) {
      try await api.get(endpoint: "order").value
    }
    #expect(try Self.blocks()["output: unmatched"] == error?.description)
  }

  @Test("The report of another body is the one the library gives")
  func otherBody() async throws {
    let stubs = StubTransport(Self.placing(#"{"lines": [{"sku": "A-1", "quantity": 2}]}"#))
    let api = ShopAPI(baseURL: "https://shop.example.com/v1", transport: stubs)
    let body = Data(#"{"id": 7, "lines": [{"quantity": 3, "sku": "A-1"}]}"#.utf8)
    let error = await #expect(throws: StubError.self) {
      try await api.post(endpoint: "orders", body: body).value
    }
    #expect(try Self.blocks()["output: body"] == error?.description)
  }

  @Test("The report of an unused stub is the one the library gives")
  func unused() throws {
    let stubs = StubTransport(Self.placing("{}"))
    let error = #expect(throws: StubError.self) { try stubs.verify() }
    #expect(try Self.blocks()["output: unused"] == error?.description)
  }

  /// A text that README.md breaks into lines.
  private static func unwrapped(_ block: String) -> String {
    block.replacingOccurrences(of: "\n", with: " ")
  }
}
