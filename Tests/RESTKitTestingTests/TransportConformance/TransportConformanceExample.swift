import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// What Docs/TransportConformance.md shows: each block is a region of this file, so one that drifts
// fails.

// snippet: transport
/// Says in each request which tenant it is for.
struct TenantTransport: Transport {
  let inner: any Transport
  let tenant: String

  var limits: TransportLimits { inner.limits }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    inner.response(for: marked(request))
  }

  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    inner.events(for: marked(request), body: body)
  }

  private func marked(_ request: URLRequest) -> URLRequest {
    var request = request
    request.setValue(tenant, forHTTPHeaderField: "X-Tenant")
    return request
  }
}
// end

@Suite("The example of Docs/TransportConformance.md", .timeLimit(.minutes(5)))
struct TransportConformanceExampleTests {
  // snippet: test
  @Test("TenantTransport keeps what transports promise")
  func tenantTransport() async throws {
    try await TransportConformance("TenantTransport") { limits in
      TenantTransport(inner: URLSessionTransport(limits: limits), tenant: "acme")
    }
    .skipping(.headerLines, .packedCut, .twoLengths, because: "URLSession's, not ours")
    .check()
  }
  // end

  @Test("Docs/TransportConformance.md shows this file", arguments: ["transport", "test"])
  func snippet(name: String) throws {
    let source = try Self.text(
      of: "Tests/RESTKitTestingTests/TransportConformance/TransportConformanceExample.swift")
    let region = try #require(Self.part(of: source, from: "// snippet: \(name)\n", to: "// end"))
    let block = try #require(
      Self.part(
        of: try Self.text(of: "Docs/TransportConformance.md"),
        from: "<!-- snippet: \(name) -->\n```swift\n", to: "```"))
    #expect(Self.unindented(block) == Self.unindented(region))
  }

  @Test(
    "Docs/TransportConformance.md names each rule with its number",
    arguments: TransportRule.allCases)
  func rules(rule: TransportRule) throws {
    let line = "| \(rule.id) | `\(rule.rawValue)` | \(rule.sentence) |"
    #expect(try Self.text(of: "Docs/TransportConformance.md").contains(line), "\(line)")
  }

  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func part(of text: String, from start: String, to end: String) -> Substring? {
    guard let start = text.range(of: start)?.upperBound,
      let end = text.range(of: end, range: start..<text.endIndex)?.lowerBound
    else { return nil }
    return text[start..<end]
  }

  private static func unindented(_ text: Substring) -> [Substring] {
    text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
  }
}
