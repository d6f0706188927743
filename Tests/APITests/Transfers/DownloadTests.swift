import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Synchronization
import Testing

@testable import RESTKit

@Suite("Downloads, on real sockets", .timeLimit(.minutes(10)))
struct DownloadTests {
  static let body = patternedBody(1 << 20)

  /// A server of one file that answers ranges, and can cut its responses.
  private func server(
    _ body: Data = body, tag: String? = "\"v1\"", cut: Cut? = nil
  ) throws -> MockServer {
    try MockServer { request in
      var headers: [(name: String, value: String)] = []
      if let tag { headers.append(("ETag", tag)) }
      var status = 200
      var rest = body
      if let range = request.value(for: "Range"), let tag,
        request.value(for: "If-Range") == tag,
        let first = Int(range.dropFirst("bytes=".count).dropLast())
      {
        guard first < body.count else { return MockResponse(status: 416) }
        status = 206
        rest = body.dropFirst(first)
        headers.append(("Content-Range", "bytes \(first)-\(body.count - 1)/\(body.count)"))
      }
      guard let count = cut?.take() else {
        return MockResponse(status: status, headers: headers, body: Data(rest))
      }
      return MockResponse(
        status: status, headers: headers, body: Data(rest), delivery: .cut(afterBytes: count))
    }
  }

  /// Where the first response is cut.
  private final class Cut: Sendable {
    private let count: Mutex<Int?>
    init(_ count: Int) { self.count = Mutex(count) }
    func take() -> Int? { count.withLock { $0.take() } }
  }

  private func api(_ server: MockServer, _ kind: TransportKind) throws -> TestAPI {
    TestAPI(baseURL: server.baseURL, transport: try kind.make())
  }

  private func result(
    of download: AnyPublisher<DownloadEvent, any Error>
  ) async throws -> (progress: [TransferProgress], head: ResponseHead?) {
    var progress: [TransferProgress] = []
    var head: ResponseHead?
    for try await event in download.values {
      switch event {
      case .progress(let step): progress.append(step)
      case .finished(let whole): head = whole
      }
    }
    return (progress, head)
  }

  @Test(
    "A file arrives whole, with its progress, and leaves no other file",
    arguments: TransportKind.allCases)
  func whole(kind: TransportKind) async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let server = try server()
    defer { server.stop() }
    let (progress, head) = try await result(
      of: try api(server, kind).download(endpoint: "a", to: file))
    #expect(head?.statusCode == 200)
    #expect(try Data(contentsOf: file) == Self.body)
    #expect(try folder.names == ["file"])
    #expect(progress.first == TransferProgress(completedBytes: 0, totalBytes: 1 << 20))
    #expect(progress.last == TransferProgress(completedBytes: 1 << 20, totalBytes: 1 << 20))
    #expect(progress.count >= 5)
    #expect(server.requests.first?.value(for: "Accept-Encoding") == "identity")
    #expect(server.requests.first?.value(for: "Range") == nil)
  }

  @Test(
    "An existing file is replaced only when the new file is whole",
    arguments: TransportKind.allCases)
  func atomic(kind: TransportKind) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("file", Data("old".utf8))
    let server = try server(cut: Cut(1_000))
    defer { server.stop() }
    let api = try api(server, kind)
    let error = try await restError(of: api.download(endpoint: "a", to: file).last())
    #expect(error.kind == .transport(.bodyCut))
    #expect(try Data(contentsOf: file) == Data("old".utf8))
    _ = try await result(of: api.download(endpoint: "a", to: file))
    #expect(try Data(contentsOf: file) == Self.body)
    #expect(try folder.names == ["file"])
  }

  @Test("A download resumes at the end of the previous one", arguments: TransportKind.allCases)
  func resume(kind: TransportKind) async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let server = try server(cut: Cut(300_000))
    defer { server.stop() }
    let api = try api(server, kind)
    _ = try await restError(of: api.download(endpoint: "a", to: file).last())
    #expect(try folder.names == [".file.part", ".file.part.json"])
    let size = try Data(contentsOf: folder.url.appendingPathComponent(".file.part")).count
    let (progress, head) = try await result(of: api.download(endpoint: "a", to: file))
    let request = try #require(server.requests.last)
    if size > 0 {
      #expect(request.value(for: "Range") == "bytes=\(size)-")
      #expect(request.value(for: "If-Range") == "\"v1\"")
      #expect(head?.statusCode == 206)
    }
    #expect(progress.first == TransferProgress(completedBytes: Int64(size), totalBytes: 1 << 20))
    #expect(try Data(contentsOf: file) == Self.body)
    #expect(try folder.names == ["file"])
  }

  @Test("A changed resource is downloaded from its start")
  func changed() async throws {
    let folder = try TemporaryFolder()
    let server = try server(tag: "\"v2\"")
    defer { server.stop() }
    try folder.leavePart(Data("old part".utf8), of: server.baseURL + "/a")
    let file = folder.url.appendingPathComponent("file")
    let (progress, head) = try await result(
      of: try api(server, .urlSession).download(endpoint: "a", to: file))
    #expect(server.requests.map { $0.value(for: "Range") } == ["bytes=8-"])
    #expect(head?.statusCode == 200)
    #expect(progress.first?.completedBytes == 0)
    #expect(try Data(contentsOf: file) == Self.body)
  }

  @Test("A part longer than the resource is discarded")
  func tooLong() async throws {
    let folder = try TemporaryFolder()
    let server = try server(Data("short".utf8))
    defer { server.stop() }
    try folder.leavePart(Data("longer than the file".utf8), of: server.baseURL + "/a")
    let file = folder.url.appendingPathComponent("file")
    _ = try await result(of: try api(server, .urlSession).download(endpoint: "a", to: file))
    #expect(server.requests.map { $0.value(for: "Range") } == ["bytes=20-", nil])
    #expect(try Data(contentsOf: file) == Data("short".utf8))
  }

  @Test("A part of another URL is not resumed")
  func otherPlace() async throws {
    let folder = try TemporaryFolder()
    let server = try server()
    defer { server.stop() }
    try folder.leavePart(Data("part".utf8), of: server.baseURL + "/other")
    let file = folder.url.appendingPathComponent("file")
    _ = try await result(of: try api(server, .urlSession).download(endpoint: "a", to: file))
    #expect(server.requests.map { $0.value(for: "Range") } == [nil])
    #expect(try Data(contentsOf: file) == Self.body)
  }

  @Test("A 206 of another part is not written", arguments: ["bytes 7-9/10", "bytes x", ""])
  func wrongRange(range: String) async throws {
    let folder = try TemporaryFolder()
    let server = try MockServer { request in
      request.value(for: "Range") == nil
        ? .text("whole")
        : MockResponse(
          status: 206, headers: [("Content-Range", range)], body: Data("xxx".utf8))
    }
    defer { server.stop() }
    try folder.leavePart(Data("part".utf8), of: server.baseURL + "/a")
    let file = folder.url.appendingPathComponent("file")
    _ = try await result(of: try api(server, .urlSession).download(endpoint: "a", to: file))
    #expect(try Data(contentsOf: file) == Data("whole".utf8))
  }

  @Test("Without a strong entity tag nothing is kept", arguments: [nil, "W/\"v1\""] as [String?])
  func weak(tag: String?) async throws {
    let folder = try TemporaryFolder()
    let server = try server(tag: tag, cut: Cut(300_000))
    defer { server.stop() }
    let file = folder.url.appendingPathComponent("file")
    let error = try await restError(
      of: try api(server, .urlSession).download(endpoint: "a", to: file).last())
    #expect(error.kind == .transport(.bodyCut))
    #expect(try folder.names.isEmpty)
  }

  @Test(
    "Any other status is an error with its body, and writes no file",
    arguments: TransportKind.allCases)
  func status(kind: TransportKind) async throws {
    let folder = try TemporaryFolder()
    let server = try MockServer { _ in .text("not here", status: 404) }
    defer { server.stop() }
    let file = folder.url.appendingPathComponent("file")
    let error = try await restError(
      of: try api(server, kind).download(endpoint: "a", to: file).last())
    #expect(error.kind == .status(404))
    #expect(error.body == Data("not here".utf8))
    #expect(try folder.names.isEmpty)
  }

  @Test("An error's body is limited")
  func largeError() async throws {
    let folder = try TemporaryFolder()
    let server = try MockServer { _ in MockResponse(status: 500, body: Self.body) }
    defer { server.stop() }
    var limits = TransportLimits()
    limits.errorBodyBytes = 1_000
    let api = TestAPI(baseURL: server.baseURL, transport: URLSessionTransport(limits: limits))
    let file = folder.url.appendingPathComponent("file")
    let error = try await restError(of: api.download(endpoint: "a", to: file).last())
    #expect(error.kind == .status(500))
    #expect(
      (error.underlyingError as? TransportError)?.kind == .limitExceeded(.errorBodyBytes))
  }

  @Test("A missing folder is named before anything is sent")
  func noFolder() async throws {
    let folder = try TemporaryFolder()
    let server = try server()
    defer { server.stop() }
    let file = folder.url.appendingPathComponent("none/file")
    let error = try await restError(
      of: try api(server, .urlSession).download(endpoint: "a", to: file).last())
    #expect(error.kind == .file)
    #expect(error.description.contains(".file.part"))
    #expect(server.connectionCount == 0)
  }

  @Test("Of two downloads to one file the second is refused")
  func twoAtOnce() async throws {
    let folder = try TemporaryFolder()
    let gate = MockGate()
    let server = try MockServer { _ in .text("whole", gate: gate) }
    defer { server.stop() }
    let api = try api(server, .urlSession)
    let file = folder.url.appendingPathComponent("file")
    async let first = result(of: api.download(endpoint: "a", to: file))
    try await server.received(1)
    let error = try await restError(of: api.download(endpoint: "a", to: file).last())
    #expect(error.kind == .file)
    #expect(error.description.contains("another download"))
    gate.open()
    #expect(try await first.head?.statusCode == 200)
    #expect(try Data(contentsOf: file) == Data("whole".utf8))
  }

  @Test("A cancel keeps the part on disk, and releases it", arguments: TransportKind.allCases)
  func cancel(kind: TransportKind) async throws {
    let folder = try TemporaryFolder()
    let gate = MockGate()
    let server = try MockServer { request in
      MockResponse(
        status: 200, headers: [("ETag", "\"v1\"")], body: Self.body,
        delivery: request.index == 0 ? .paused(afterBytes: 100_000, until: gate) : .whole)
    }
    defer { server.stop() }
    let api = try api(server, kind)
    let file = folder.url.appendingPathComponent("file")
    for try await event in api.download(endpoint: "a", to: file).values {
      if case .progress(let progress) = event, progress.completedBytes > 0 { break }
    }
    #expect(try await server.connectionClosed(0) == .client)
    #expect(try folder.names == [".file.part", ".file.part.json"])
    _ = try await result(of: api.download(endpoint: "a", to: file))
    #expect(try Data(contentsOf: file) == Self.body)
  }

  @Test("A target that is a folder is named before anything is sent")
  func targetIsFolder() async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    let server = try server()
    defer { server.stop() }
    let error = try await restError(
      of: try api(server, .urlSession).download(endpoint: "a", to: file).last())
    #expect(error.kind == .file)
    #expect(error.description.contains("file is a folder"))
    #expect(server.connectionCount == 0)
    #expect(try folder.names == ["file"])
  }

  @Test("A target that becomes a folder meanwhile fails at the end, and the bytes are kept")
  func targetBecomesFolder() async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let server = try server()
    defer { server.stop() }
    let download = try api(server, .urlSession).download(endpoint: "a", to: file)
      .handleEvents(receiveOutput: { _ in
        try? FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
      })
    let error = try await restError(of: download.last())
    #expect(error.kind == .file)
    #expect(error.description.contains("file cannot be put in place"))
    #expect(try folder.names.contains(".file.part"))
  }

  @Test("A part with an unreadable note is not resumed", arguments: ["", "{", "[1]"])
  func brokenNote(note: String) async throws {
    let folder = try TemporaryFolder()
    _ = try folder.file(".file.part", Data("old".utf8))
    _ = try folder.file(".file.part.json", Data(note.utf8))
    let server = try server()
    defer { server.stop() }
    let file = folder.url.appendingPathComponent("file")
    _ = try await result(of: try api(server, .urlSession).download(endpoint: "a", to: file))
    #expect(server.requests.map { $0.value(for: "Range") } == [nil])
    #expect(try Data(contentsOf: file) == Self.body)
  }

  @Test("A symbolic link in place of the part is not followed")
  func symbolicLink() async throws {
    let folder = try TemporaryFolder()
    let other = try folder.file("other", Data("other".utf8))
    try FileManager.default.createSymbolicLink(
      at: folder.url.appendingPathComponent(".file.part"), withDestinationURL: other)
    let server = try server()
    defer { server.stop() }
    let file = folder.url.appendingPathComponent("file")
    _ = try await result(of: try api(server, .urlSession).download(endpoint: "a", to: file))
    #expect(try Data(contentsOf: file) == Self.body)
    #expect(try Data(contentsOf: other) == Data("other".utf8))
  }
}

@Suite("Content ranges and progress")
struct TransferValueTests {
  @Test(
    "A valid content range is read exactly",
    arguments: [
      ("bytes 0-9/10", 0, 9, 10), ("bytes 5-9/*", 5, 9, nil), ("BYTES 1-1/2", 1, 1, 2),
    ] as [(String, Int64, Int64, Int64?)])
  func range(field: String, first: Int64, last: Int64, total: Int64?) {
    let range = ContentRange(field)
    #expect(range?.first == first)
    #expect(range?.last == last)
    #expect(range?.total == total)
  }

  @Test(
    "Any other text is no content range",
    arguments: [
      "", "bytes", "bytes */10", "bytes 9-5/10", "bytes 0-9/9", "bytes -1-9/10", "bytes +0-9/10",
      "bytes 0-9", "bytes 0-9/10/11", "bytes 0-9/10/", "bytes 0-9//10", "items 0-9/10",
      "bytes 0-99999999999999999999/*",
      "bytes 0 - 9/10",
    ])
  func noRange(field: String) {
    #expect(ContentRange(field) == nil)
  }

  @Test("A fraction of progress needs a known total")
  func progress() {
    #expect(TransferProgress(completedBytes: 1, totalBytes: 4).fractionCompleted == 0.25)
    #expect(TransferProgress(completedBytes: 0, totalBytes: 0).fractionCompleted == 1)
    #expect(TransferProgress(completedBytes: 0, totalBytes: 1).fractionCompleted == 0)
    #expect(TransferProgress(completedBytes: 5, totalBytes: 4).fractionCompleted == 1)
    #expect(TransferProgress(completedBytes: 5, totalBytes: nil).fractionCompleted == nil)
    #expect(TransferProgress(completedBytes: 5, totalBytes: nil).description == "5 bytes")
    #expect(TransferProgress(completedBytes: 5, totalBytes: 9).description == "5 of 9 bytes")
  }
}
