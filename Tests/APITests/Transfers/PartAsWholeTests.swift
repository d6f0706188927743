import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

/// curl 7.88 and wget 1.21 append a part that comes with a 200, if it is the missing one, and take
/// any other as the whole file: curl's `-C -` leaves `01234` for `bytes 0-4/10`.
@Suite("A 200 with a Content-Range is no whole file, unless it says so", .timeLimit(.minutes(10)))
struct PartAsWholeTests {
  private static let whole = Data("abcdefghij".utf8)

  /// A server that answers a range, or each request, with a part and a 200.
  private func server(
    _ range: String, _ body: String, isAlwaysWrong: Bool = false
  ) throws -> MockServer {
    try MockServer { request in
      guard request.value(for: "Range") != nil || isAlwaysWrong else {
        return MockResponse(status: 200, headers: [("ETag", "\"v1\"")], body: Self.whole)
      }
      return MockResponse(
        status: 200, headers: [("ETag", "\"v1\""), ("Content-Range", range)],
        body: Data(body.utf8))
    }
  }

  /// Downloads the whole file behind a part of four bytes, and returns the requested ranges.
  private func ranges(
    of kind: TransportKind, _ range: String, _ body: String
  ) async throws -> [String?] {
    let folder = try TemporaryFolder()
    let server = try server(range, body)
    defer { server.stop() }
    try folder.leavePart(Data("abcd".utf8), of: server.baseURL + "/a", total: 10)
    let file = folder.url.appendingPathComponent("file")
    _ = try await TestAPI(baseURL: server.baseURL, transport: try kind.make())
      .download(endpoint: "a", to: file).last().value
    #expect(try Data(contentsOf: file) == Self.whole)
    #expect(try folder.names == ["file"])
    return server.requests.map { $0.value(for: "Range") }
  }

  @Test(
    "A resumed download begins anew", arguments: TransportKind.allCases,
    [
      ("bytes 4-9/10", "efghij"), ("bytes 0-3/10", "abcd"), ("bytes 4-9/*", "efghij"),
      ("bytes=4-9/10", "efghij"), ("bytes */10", "efghij"), ("bytes 0-9/10", "efghij"),
    ])
  func resumed(kind: TransportKind, part: (range: String, body: String)) async throws {
    #expect(try await ranges(of: kind, part.range, part.body) == ["bytes=4-", nil])
  }

  @Test(
    "The range of all bytes is the whole file", arguments: TransportKind.allCases,
    ["bytes 0-9/10", "bytes */10"])
  func all(kind: TransportKind, range: String) async throws {
    #expect(try await ranges(of: kind, range, "abcdefghij") == ["bytes=4-"])
  }

  @Test("A server that never sends the whole file fails the call", arguments: [false, true])
  func never(isResumed: Bool) async throws {
    let folder = try TemporaryFolder()
    let server = try server("bytes 4-9/10", "efghij", isAlwaysWrong: true)
    defer { server.stop() }
    if isResumed {
      try folder.leavePart(Data("abcd".utf8), of: server.baseURL + "/a", total: 10)
    }
    let file = folder.url.appendingPathComponent("file")
    let error = try await restError(
      of: TestAPI(baseURL: server.baseURL, transport: .shared).download(endpoint: "a", to: file)
        .last())
    #expect(error.kind == .malformedResponse)
    #expect(server.requests.count == 2)
    #expect(try folder.names.isEmpty)
  }
}
