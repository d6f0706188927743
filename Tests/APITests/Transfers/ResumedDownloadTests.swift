import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server's response to a range, and the reason not to append it; nil if it can be appended.
private struct ServerResponse: Sendable, CustomTestStringConvertible {
  let name: String
  var tag: String? = "\"v1\""
  var range = "bytes 4-9/10"
  var headers: [(name: String, value: String)] = []
  var body = Data("efghij".utf8)
  var chunks: [String]?
  var total: Int64? = 10
  let reason: String?

  var testDescription: String { name }

  var response: MockResponse {
    MockResponse(
      status: 206,
      headers: [("Content-Range", range)] + (tag.map { [("ETag", $0)] } ?? []) + headers,
      body: body, delivery: chunks.map { .chunked($0.map { Data($0.utf8) }) } ?? .whole)
  }

  private static let zip = Data(base64Encoded: "H4sIAAAAAAAAA0vOT8nMSwcA4h4q/wYAAAA=") ?? Data()

  static let taken = [
    ServerResponse(name: "as it should be", reason: nil),
    ServerResponse(name: "in chunks", chunks: ["ef", "ghij"], reason: nil),
    ServerResponse(name: "total left out", range: "bytes 4-9/*", reason: nil),
    ServerResponse(name: "total said for the first time", total: nil, reason: nil),
  ]

  static let refused = [
    ServerResponse(
      name: "other version", tag: "\"v2\"", reason: "the server's part is of another version"),
    ServerResponse(
      name: "weak tag", tag: "W/\"v1\"", reason: "the server's part is of another version"),
    ServerResponse(
      name: "two tags", tag: "\"v1\", \"v2\"", reason: "the server's part is of another version"),
    ServerResponse(
      name: "no tag", tag: nil, reason: "the server did not say which version its part belongs to"),
    ServerResponse(
      name: "other total", range: "bytes 4-9/12",
      reason: "the server's part is of a file of another length"),
    ServerResponse(
      name: "past the total", range: "bytes 4-10/*", body: Data("efghijk".utf8),
      reason: "the server's part is of a file of another length"),
    ServerResponse(
      name: "no total ever", range: "bytes 4-9/*", total: nil,
      reason: "the server did not say how long the file is"),
    ServerResponse(
      name: "later range", range: "bytes 5-9/10", body: Data("fghij".utf8),
      reason: "the server sent another part than was requested"),
    ServerResponse(
      name: "from the start", range: "bytes 0-9/10", body: Data("abcdefghij".utf8),
      reason: "the server sent another part than was requested"),
    ServerResponse(
      name: "no range", range: "bytes */10",
      reason: "the server sent another part than was requested"
    ),
    ServerResponse(
      name: "gzip", headers: [("Content-Encoding", "gzip")], body: zip,
      reason: "the server encoded its part"),
    ServerResponse(
      name: "several parts", headers: [("Content-Type", "Multipart/Byteranges; boundary=b")],
      reason: "the server sent several parts in one response"),
    ServerResponse(
      name: "length of another", body: Data("efghi".utf8),
      reason: "the server's part does not have its declared length"),
    ServerResponse(
      name: "short in chunks", chunks: ["efg"],
      reason: "the server's part does not have its declared length"),
    ServerResponse(
      name: "long in chunks", chunks: ["efg", "hij", "k"],
      reason: "the server's part does not have its declared length"),
  ]
}

extension DownloadEvent {
  fileprivate var head: ResponseHead? {
    if case .finished(let head) = self { head } else { nil }
  }
}

@Suite(
  "SEC-09: a resumed file has one version, after any number of breaks",
  .timeLimit(.minutes(10)))
struct ResumedDownloadTests {
  private let folder: TemporaryFolder
  private let file: URL
  private let logs = TestSubscriber<CallLog, Never>()

  init() throws {
    folder = try TemporaryFolder()
    file = folder.url.appendingPathComponent("file")
  }

  /// A part of `"v1"` that an earlier download left.
  private func leavePart(of server: MockServer, total: Int64? = 10) throws {
    try folder.leavePart(Data("abcd".utf8), of: server.baseURL + "/a", total: total)
  }

  private var part: Data? {
    try? Data(contentsOf: folder.url.appendingPathComponent(".file.part"))
  }

  private func download(
    from server: MockServer, _ kind: TransportKind, modifier: @escaping RequestModifier = { $0 }
  ) throws -> AnyPublisher<DownloadEvent, any Error> {
    let transport = ObservedTransport(try kind.make())
    transport.callLogs.receive(subscriber: logs)
    return TestAPI(baseURL: server.baseURL, transport: transport)
      .download(endpoint: "a", to: file, requestModifier: modifier)
  }

  /// Why the last call began anew.
  private var restarts: [String] {
    logs.values.last?.events.compactMap { event in
      if case .beganAnew(let reason) = event.kind { reason } else { nil }
    } ?? []
  }

  @Test(
    "A part of the same version is appended", arguments: TransportKind.allCases,
    ServerResponse.taken)
  private func taken(kind: TransportKind, answer: ServerResponse) async throws {
    let server = try MockServer { _ in answer.response }
    defer { server.stop() }
    try leavePart(of: server, total: answer.total)
    _ = try await download(from: server, kind).allValues
    #expect(try Data(contentsOf: file) == Data("abcdefghij".utf8))
    #expect(server.requests.map { $0.value(for: "Range") } == ["bytes=4-"])
    #expect(restarts.isEmpty)
  }

  @Test(
    "A part of another version restarts the download in the same call, and the log says so",
    arguments: TransportKind.allCases, ServerResponse.refused)
  private func refused(kind: TransportKind, answer: ServerResponse) async throws {
    let server = try MockServer { request in
      guard request.value(for: "Range") == nil else { return answer.response }
      return MockResponse(status: 200, headers: [("ETag", "\"v2\"")], body: Data("ABCDEF".utf8))
    }
    defer { server.stop() }
    try leavePart(of: server, total: answer.total)
    _ = try await download(from: server, kind).allValues
    #expect(try Data(contentsOf: file) == Data("ABCDEF".utf8))
    #expect(try folder.names == ["file"])
    #expect(server.requests.map { $0.value(for: "Range") } == ["bytes=4-", nil])
    #expect(server.requests.map { $0.value(for: "If-Range") } == ["\"v1\"", nil])
    #expect(restarts == [try #require(answer.reason)])
    let log = try #require(logs.values.last).description
    #expect(log.contains("begins the file anew because \(answer.reason ?? "")"))
  }

  @Test("A 200 and a 416 are logged, too", arguments: [200, 416])
  func others(status: Int) async throws {
    let server = try MockServer { request in
      request.value(for: "Range") == nil || status == 200 ? .text("whole") : .text("", status: 416)
    }
    defer { server.stop() }
    try leavePart(of: server)
    _ = try await download(from: server, .urlSession).allValues
    #expect(try Data(contentsOf: file) == Data("whole".utf8))
    #expect(
      restarts == [
        status == 200
          ? "the server sent the whole file" : "the server has no bytes after the present part"
      ])
  }

  private enum Cut: CaseIterable {
    case length, chunks, connection

    var response: MockResponse {
      let head: [(name: String, value: String)] = [
        ("ETag", "\"v1\""), ("Content-Range", "bytes 4-9/10"),
      ]
      let body = Data("efghij".utf8)
      return switch self {
      case .length:
        MockResponse(status: 206, headers: head, body: body, delivery: .cut(afterBytes: 3))
      case .chunks:
        MockResponse(status: 206, headers: head, delivery: .chunkedCut([Data("efg".utf8)]))
      case .connection:
        MockResponse(
          status: 206,
          delivery: .raw(
            Data(
              """
              HTTP/1.1 206 Partial Content\r\nETag: "v1"\r\nContent-Range: bytes 4-9/10\r\n\
              Connection: close\r\n\r\nefg
              """.utf8)))
      }
    }
  }

  @Test("A part that is cut is kept, and resumed", arguments: TransportKind.allCases, Cut.allCases)
  private func cut(kind: TransportKind, cut: Cut) async throws {
    let server = try MockServer { request in
      if request.index == 0 { return cut.response }
      let first = request.value(for: "Range").flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      return MockResponse(
        status: 206, headers: [("ETag", "\"v1\""), ("Content-Range", "bytes \(first)-9/10")],
        body: Data("abcdefghij".utf8).dropFirst(first))
    }
    defer { server.stop() }
    try leavePart(of: server)
    let error = try await restError(of: try download(from: server, kind).last())
    #expect(error.kind == .transport(.bodyCut))
    let kept = try #require(part)
    #expect((4...7).contains(kept.count))
    #expect(Data("abcdefg".utf8).starts(with: kept))
    _ = try await download(from: server, kind).allValues
    #expect(try Data(contentsOf: file) == Data("abcdefghij".utf8))
    #expect(server.requests.map { $0.value(for: "Range") } == ["bytes=4-", "bytes=\(kept.count)-"])
    #expect(restarts.isEmpty)
  }

  /// A server of a file that gives no more than a number of its bytes at a time.
  private func server(of body: Data, atMost count: Int) throws -> MockServer {
    try MockServer { request in
      let first = request.value(for: "Range").flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      let piece = body.dropFirst(first).prefix(count)
      return MockResponse(
        status: 206,
        headers: [
          ("ETag", "\"v1\""),
          ("Content-Range", "bytes \(first)-\(first + piece.count - 1)/\(body.count)"),
        ], body: Data(piece))
    }
  }

  @Test(
    "RFC 9110 §15.3.7: behind a range that is shorter than asked for, the download goes on",
    arguments: TransportKind.allCases)
  func shorterRange(kind: TransportKind) async throws {
    let server = try server(of: Data("abcdefghij".utf8), atMost: 2)
    defer { server.stop() }
    try leavePart(of: server)
    let events = try await download(from: server, kind).allValues
    #expect(try Data(contentsOf: file) == Data("abcdefghij".utf8))
    #expect(
      server.requests.map { $0.value(for: "Range") } == ["bytes=4-", "bytes=6-", "bytes=8-"])
    #expect(events.compactMap(\.head).map(\.statusCode) == [206])
    #expect(restarts.isEmpty)
    #expect(try folder.names == ["file"])
  }

  @Test("A short range of another version begins the file anew, once")
  func shorterRangeOfAnother() async throws {
    let server = try MockServer { request in
      guard let range = request.value(for: "Range") else { return .text("whole") }
      return MockResponse(
        status: 206,
        headers: [
          ("ETag", request.index == 0 ? "\"v1\"" : "\"v2\""),
          ("Content-Range", "bytes \(range.dropFirst(6))\(request.index + 4)/10"),
        ], body: Data("e".utf8))
    }
    defer { server.stop() }
    try leavePart(of: server)
    _ = try await download(from: server, .urlSession).allValues
    #expect(server.requests.map { $0.value(for: "Range") } == ["bytes=4-", "bytes=5-", nil])
    #expect(try Data(contentsOf: file) == Data("whole".utf8))
    #expect(restarts == ["the server's part is of another version"])
  }

  @Test("A file of many short ranges needs no stack")
  func manyRanges() async throws {
    let body = patternedBody(3_000)
    let transport = AnsweringTransport { request in
      let first =
        (request.value(forHTTPHeaderField: "Range")?.dropFirst(6).dropLast())
        .flatMap { Int($0) } ?? 0
      return try RESTResponse(
        to: request, status: 206,
        headers: ["ETag": "\"v1\"", "Content-Range": "bytes \(first)-\(first)/3000"],
        data: body.dropFirst(first).prefix(1))
    }
    try folder.leavePart(body.prefix(1), of: TestAPI.origin + "/a", total: 3_000)
    _ = try await TestAPI(baseURL: TestAPI.origin, transport: transport)
      .download(endpoint: "a", to: file).allValues
    #expect(try Data(contentsOf: file) == body)
    #expect(transport.requests.count == 2_999)
  }

  @Test(
    "A part that is the whole file is put in place when the server says that it is unchanged",
    arguments: TransportKind.allCases)
  func completePart(kind: TransportKind) async throws {
    let server = try MockServer { request in
      request.value(for: "If-None-Match") == "\"v1\""
        ? MockResponse(status: 304, headers: [("ETag", "\"v1\"")]) : .text("whole")
    }
    defer { server.stop() }
    try leavePart(of: server, total: 4)
    let events = try await download(from: server, kind).allValues
    #expect(try Data(contentsOf: file) == Data("abcd".utf8))
    #expect(server.requests.map { $0.value(for: "Range") } == [nil])
    #expect(server.requests.map { $0.value(for: "If-Range") } == [nil])
    #expect(events.compactMap(\.head).map(\.statusCode) == [304])
    #expect(restarts.isEmpty)
    #expect(try folder.names == ["file"])
  }

  @Test("A whole part of a file that has changed is discarded", arguments: [200, 304])
  func completePartOfAnother(status: Int) async throws {
    let server = try MockServer { request in
      request.value(for: "If-None-Match") == nil || status == 200
        ? .text("whole") : MockResponse(status: 304, headers: [("ETag", "W/\"v1\"")])
    }
    defer { server.stop() }
    try leavePart(of: server, total: 4)
    _ = try await download(from: server, .urlSession).allValues
    #expect(try Data(contentsOf: file) == Data("whole".utf8))
    #expect(
      restarts == [
        status == 200
          ? "the server sent the whole file" : "the server's part is of another version"
      ])
  }

  @Test("A 304 that was not asked for is an error", arguments: TransportKind.allCases)
  func unasked304(kind: TransportKind) async throws {
    let server = try MockServer { _ in MockResponse(status: 304, headers: [("ETag", "\"v1\"")]) }
    defer { server.stop() }
    try leavePart(of: server)
    let error = try await restError(of: try download(from: server, kind).last())
    #expect(error.kind == .status(304))
    #expect(part == Data("abcd".utf8))
    // A caller that asks by a field of its own has no part.
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent(".file.part"))
    let own = try download(from: server, kind) { $0.settingHeader("If-None-Match", to: "\"v1\"") }
    let other = try await restError(of: own.last())
    #expect(other.kind == .status(304))
    #expect(
      server.requests.map { $0.value(for: "If-None-Match") } == [nil, "\"v1\""])
    #expect(try folder.names.isEmpty)
  }

  @Test("The total of the first part applies to the later ones")
  func learnedTotal() async throws {
    let server = try MockServer { request in
      guard let range = request.value(for: "Range") else { return .text("whole") }
      let total = request.index == 0 ? 10 : 12
      return MockResponse(
        status: 206,
        headers: [
          ("ETag", "\"v1\""), ("Content-Range", "bytes \(range.dropFirst(6))\(total - 1)/\(total)"),
        ],
        body: Data("efghijklmn".utf8).prefix(total - 4),
        delivery: request.index == 0 ? .cut(afterBytes: 0) : .whole)
    }
    defer { server.stop() }
    try leavePart(of: server, total: nil)
    _ = try await restError(of: try download(from: server, .urlSession).last())
    _ = try await download(from: server, .urlSession).allValues
    #expect(try Data(contentsOf: file) == Data("whole".utf8))
    #expect(restarts == ["the server's part is of a file of another length"])
  }

  @Test("An unrequested part is refused", arguments: TransportKind.allCases)
  func unasked(kind: TransportKind) async throws {
    let server = try MockServer { _ in
      MockResponse(
        status: 206, headers: [("ETag", "\"v1\""), ("Content-Range", "bytes 0-9/10")],
        body: Data("abcdefghij".utf8))
    }
    defer { server.stop() }
    let error = try await restError(of: try download(from: server, kind).last())
    #expect(error.kind == .malformedResponse)
    #expect(server.requests.count == 2)
    #expect(restarts == ["the server sent a part, but the whole file was requested"])
    #expect(try folder.names.isEmpty)
  }

  @Test("Only the download sets the range, and a modifier's range is removed")
  func ownRange() async throws {
    let server = try MockServer { .text($0.value(for: "Range") ?? "whole") }
    defer { server.stop() }
    _ = try await download(from: server, .urlSession) {
      $0.settingHeader("range", to: "bytes=2-3").settingHeader("If-Range", to: "\"mine\"")
    }.allValues
    #expect(try Data(contentsOf: file) == Data("whole".utf8))
    #expect(server.requests.map { $0.value(for: "If-Range") } == [nil])
  }
}
