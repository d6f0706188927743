import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import HTTPWire
@testable import RESTKit

/// A line of `SEC-01-paths.jsonl`.
struct HostilePath: Decodable, Sendable {
  /// The endpoint, so many times over.
  let path: String
  let times: Int?
  /// The part behind the base URL, repeated as often; nil if the path is refused.
  let sent: String?
  let refused: String?

  static let all = Corpus.entries("SEC-01-paths", of: HostilePath.self)

  var endpoint: String { String(repeating: path, count: times ?? 1) }
  var target: String? { sent.map { String(repeating: $0, count: times ?? 1) } }
}

@Suite("Hostile endpoints, through the verbs", .timeLimit(.minutes(10)))
struct HostilePathTests {
  @Test("SEC-01: each path gives exactly one URL, or an error that names the part and the remedy")
  func outcome() async throws {
    let base = "https://api.example.com/v1/"
    for entry in HostilePath.all {
      let transport = AnsweringTransport()
      let publisher = TestAPI(baseURL: base, transport: transport)
        .get(endpoint: entry.content.endpoint)
      if let target = entry.content.target {
        let url = try await publisher.value.url.absoluteString
        #expect(url == base + target, sourceLocation: entry.location)
        #expect(transport.requests.count == 1, sourceLocation: entry.location)
      } else {
        let error = try await restError(of: publisher, sourceLocation: entry.location)
        expectRefusal(
          error, .invalidEndpoint, "endpoint", entry.content.refused, at: entry.location)
        #expect(transport.requests.isEmpty, sourceLocation: entry.location)
      }
    }
  }

  @Test("SEC-01: the server reads the path that is sent", arguments: TransportKind.allCases)
  func wire(kind: TransportKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let transport = try kind.make()
    for entry in HostilePath.all {
      guard let target = entry.content.target else { continue }
      let response = try await TestAPI(baseURL: server.baseURL + "/v1/", transport: transport)
        .get(endpoint: entry.content.endpoint).value
      #expect(response.statusCode == 200, sourceLocation: entry.location)
      #expect(server.requests.last?.target == "/v1/" + target, sourceLocation: entry.location)
    }
  }

  @Test("SEC-02: each parameter stays one segment, or is refused")
  func segment() throws {
    for entry in HostilePath.all {
      let value = entry.content.endpoint
      var path = try EndpointPath("projects")
      do throws(URLJoinError) {
        try path.append(segment: value)
      } catch {
        #expect(error.part == .pathParameter, sourceLocation: entry.location)
        let isNoSegment = value.isEmpty || value == "." || value == ".."
        #expect(isNoSegment || value.utf8.count > 20_000, sourceLocation: entry.location)
        #expect(error.excerpt == nil && !error.remedy.isEmpty, sourceLocation: entry.location)
        continue
      }
      try path.append(EndpointPath("issues"))
      let url = try BaseURL("https://api.example.com/v1").url(path: path)
      let segments = url.absoluteString.dropFirst("https://api.example.com/".count)
        .split(separator: "/", omittingEmptySubsequences: false)
      #expect(segments.count == 4, sourceLocation: entry.location)
      let decoded = segments.dropFirst(2).first.map(bytes)
      #expect(decoded == Array(value.utf8), sourceLocation: entry.location)
    }
  }

  /// The server's reading of a segment: Foundation's decoding would drop a byte order mark.
  private func bytes(of segment: Substring) -> [UInt8] {
    let parts = segment.split(separator: "%", omittingEmptySubsequences: false)
    return Array((parts.first ?? "").utf8)
      + parts.dropFirst().flatMap { part -> [UInt8] in
        [UInt8(part.prefix(2), radix: 16) ?? 0] + Array(part.dropFirst(2).utf8)
      }
  }
}

/// Checks a refusal of RESTKit: it is typed, with the part, the reason and a remedy, on one line of
/// plain text.
func expectRefusal(
  _ error: RESTError, _ kind: RESTError.Kind, _ part: String, _ reason: String?,
  at location: SourceLocation
) {
  #expect(error.kind == kind, sourceLocation: location)
  #expect(error.reason.contains(part), sourceLocation: location)
  #expect(reason.map(error.reason.contains) == true, "\(error.reason)", sourceLocation: location)
  #expect(!error.remedy.isEmpty, sourceLocation: location)
  #expect(isPlain(error.description), "\(error)", sourceLocation: location)
}

/// Whether a text is one line that shows as it is: no controls, no marks that turn its direction.
func isPlain(_ text: String) -> Bool {
  text.unicodeScalars.allSatisfy { scalar in
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
