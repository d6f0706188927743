import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Files of a multipart form", .leakFree)
struct MultipartFileTests {
  private static let url = "https://api.example.com/v1/photos"
  private static let request = RequestSummary(method: .post, url: URL(string: url))

  private func form(_ file: URL) -> MultipartForm {
    [.text(name: "title", "Rex"), .file(name: "photo", file), .text(name: "note", "last")]
  }

  /// The chunks of a form's body, as they are asked for.
  private func chunks(of form: MultipartForm) throws -> TestSubscriber<Data, any Error> {
    let subscriber = TestSubscriber<Data, any Error>(demand: .none)
    try form.body(for: Self.request).open().chunks.receive(subscriber: subscriber)
    return subscriber
  }

  @Test("A file is read in pieces, and no more pieces than requested")
  func streams() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("big", Data())
    let handle = try FileHandle(forWritingTo: file)
    // No byte of it is on the disk.
    try handle.truncate(atOffset: 8 << 30)
    let body = try form(file).body(for: Self.request)
    #expect(try #require(body.length) > 8 << 30)

    let subscriber = TestSubscriber<Data, any Error>(demand: .none)
    try body.open().chunks.receive(subscriber: subscriber)
    subscriber.request(.max(3))
    #expect(subscriber.values.count == 3)
    #expect(subscriber.values.dropFirst().map(\.count) == [64 << 10, 64 << 10])
    #expect(subscriber.completions.isEmpty)
    subscriber.cancel()
  }

  @Test("The announced length equals the sent length, even for an empty file")
  func length() throws {
    let folder = try TemporaryFolder()
    for count in [0, 1, 64 << 10, 200_000] {
      let file = try folder.file("\(count)", patternedBody(count))
      let body = try form(file).body(for: Self.request)
      let subscriber = try chunks(of: form(file))
      subscriber.request(.unlimited)
      #expect(subscriber.isFinished)
      #expect(body.length == Int64(subscriber.values.map(\.count).reduce(0, +)))
    }
  }

  @Test("The server gets the file's own name, unless another one is given")
  func names() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("rex.jpg", Data("x".utf8))
    for (filename, expected) in [(nil, "rex.jpg"), ("other.png", "other.png")] {
      let subscriber = try chunks(of: [.file(name: "photo", file, filename: filename)])
      subscriber.request(.max(1))
      let head = String(decoding: subscriber.values.first ?? Data(), as: UTF8.self)
      #expect(head.contains("name=\"photo\"; filename=\"\(expected)\"\r\n"))
      #expect(head.hasSuffix("\r\nContent-Type: application/octet-stream\r\n\r\n"))
      subscriber.cancel()
    }
  }

  @Test(
    "A missing file, or one that is not a file, fails before anything is sent",
    arguments: [0, 1, 2])
  func unreadable(what: Int) async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "rex.jpg")
    if what == 1 {
      try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    } else if what == 2 {
      // To open it would wait for ever.
      #expect(mkfifo(file.path, 0o600) == 0)
    }
    let stubs = StubTransport()
    let api = TestAPI(transport: stubs)
    for error in [
      try await restError(of: api.post(endpoint: "photos", body: .multipart(form(file)))),
      try await restError(of: api.upload(endpoint: "photos", body: .multipart(form(file)))),
    ] {
      #expect(error.kind == .file)
      #expect(error.attempts == 0)
      #expect(error.request?.method == .post)
      #expect(
        error.description.contains("the file rex.jpg of the part \"photo\" cannot be read"))
    }
    #expect(stubs.requests.isEmpty)
  }

  @Test("A URL of another scheme is not read as the local file of its path")
  func remoteURL() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("rex.jpg", Data("local".utf8))
    let remote = try #require(URL(string: "https://cdn.example.com\(file.path)"))
    let stubs = StubTransport()
    let api = TestAPI(transport: stubs)
    let error = try await restError(
      of: api.post(endpoint: "photos", body: .multipart(form(remote))))
    #expect(error.kind == .file)
    #expect(error.attempts == 0)
    #expect(error.description.contains("the file rex.jpg of the part \"photo\" cannot be read"))
    #expect(throws: TransportError.self) { try RequestBody.file(remote).open() }
    #expect(stubs.requests.isEmpty)
  }

  /// A file without a byte on any disk, as long as a length can say; nil where there can be none.
  private static func endlessFile(in folder: TemporaryFolder?) -> URL? {
    guard let file = try? folder?.file("endless", Data()),
      let handle = try? FileHandle(forWritingTo: file),
      (try? handle.truncate(atOffset: UInt64(Int64.max))) != nil
    else { return nil }
    return file
  }

  private static var memoryFolder: TemporaryFolder? {
    try? TemporaryFolder(in: URL(filePath: "/dev/shm"))
  }

  @Test(
    "Files whose total length overflows are refused",
    .enabled(if: endlessFile(in: memoryFolder) != nil, "there are no files of any length here"))
  func tooLong() async throws {
    let folder = Self.memoryFolder
    let file = try #require(Self.endlessFile(in: folder))
    let api = TestAPI(transport: StubTransport())
    let error = try await restError(of: api.post(endpoint: "photos", body: .multipart(form(file))))
    #expect(error.kind == .invalidRequest)
    #expect(error.attempts == 0)
    #expect(error.description.contains("longer than"))
  }

  @Test("A file is read at subscription, and a link is followed")
  func cold() async throws {
    let folder = try TemporaryFolder()
    let link = folder.url.appending(path: "link")
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.post, urlString: Self.url).multipartBody(
          StubPart(name: "title"), StubPart(name: "photo", data: Data("late".utf8)),
          StubPart(name: "note"))))
    let publisher = TestAPI(transport: stubs).post(endpoint: "photos", body: .multipart(form(link)))
    let file = try folder.file("file", Data("late".utf8))
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    #expect(try await publisher.value.statusCode == 200)
  }

  /// The changes to a file between the measuring of its length and its last byte.
  enum Change: CaseIterable {
    case shorter, longer, sameLength, replaced, removed

    func apply(to file: URL) throws {
      let data = try Data(contentsOf: file)
      switch self {
      case .shorter: try data.dropLast().write(to: file)
      case .longer: try (data + [0]).write(to: file)
      case .sameLength:
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file.path)
      case .replaced: try data.write(to: file, options: .atomic)
      case .removed: try FileManager.default.removeItem(at: file)
      }
    }
  }

  @Test(
    "A file that changes before or during sending fails the call and is named",
    arguments: Change.allCases, [0, 1, 2, 3])
  func changed(change: Change, after pieces: Int) throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("rex.jpg", patternedBody(192 << 10))
    let subscriber = try chunks(of: form(file))
    if pieces > 0 { subscriber.request(.max(pieces)) }
    #expect(subscriber.values.count == pieces)
    try change.apply(to: file)
    subscriber.request(.unlimited)
    let error = try #require(subscriber.failure as? RESTError)
    #expect(error.kind == .file)
    #expect(error.description.contains("the file rex.jpg of the part \"photo\" changed"))
    // Of a file that had changed before its first byte, nothing goes out.
    let isOfFile = { (piece: Data) in piece.count >= 64 << 10 }
    #expect(pieces > 0 || !subscriber.values.contains(where: isOfFile))
    // A part of the form may have gone out.
    #expect(error.attempts == 1)
    #expect(!subscriber.values.contains { String(decoding: $0, as: UTF8.self).contains("last") })
  }

  @Test(
    "A form with files is sent with its length and its progress", arguments: TransportKind.allCases
  )
  func socket(kind: TransportKind) async throws {
    let folder = try TemporaryFolder()
    let content = patternedBody(1 << 20)
    let file = try folder.file("rex.jpg", content)
    let server = try MockServer { .text("\($0.body.count)") }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    var progress: [TransferProgress] = []
    var response: RESTResponse?
    for try await event in api.upload(endpoint: "photos", body: .multipart(form(file))).values {
      switch event {
      case .progress(let step): progress.append(step)
      case .response(let whole): response = whole
      }
    }
    let request = try #require(server.requests.first)
    #expect(response?.data == Data("\(request.body.count)".utf8))
    #expect(request.value(for: "Content-Length") == "\(request.body.count)")
    #expect(request.value(for: "Transfer-Encoding") == nil)
    #expect(request.body.range(of: content) != nil)
    #expect(progress.last?.completedBytes == Int64(request.body.count))
    #expect(progress.last?.totalBytes == Int64(request.body.count))

    _ = try await api.post(endpoint: "photos", body: .multipart(form(file))).value
    #expect(server.requests.last?.body.count == request.body.count)
  }

  @Test(
    "A 307 sends the form once more, a 303 sends none of it", arguments: TransportKind.allCases,
    [307, 308, 303])
  func redirect(kind: TransportKind, status: Int) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("rex.jpg", Data("body".utf8))
    let server = try MockServer { request in
      guard request.path == "/a" else { return .text(request.method) }
      return MockResponse(status: status, headers: [("Location", "/b")])
    }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    let response = try await api.post(endpoint: "a", body: .multipart(form(file))).value
    #expect(response.data == Data((status == 303 ? "GET" : "POST").utf8))
    let bodies = server.requests.map(\.body)
    #expect(bodies.count == 2)
    #expect(bodies.last == (status == 303 ? Data() : bodies.first))
  }

  @Test(
    "A file that is missing at a redirect fails the call and is named",
    arguments: TransportKind.allCases)
  func gone(kind: TransportKind) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("rex.jpg", Data("body".utf8))
    let server = try MockServer { request in
      guard request.path == "/a" else { return .text("ok") }
      try? FileManager.default.removeItem(at: file)
      return MockResponse(status: 307, headers: [("Location", "/b")])
    }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    let error = try await restError(of: api.post(endpoint: "a", body: .multipart(form(file))))
    #expect(error.kind == .file)
    #expect(error.description.contains("the file rex.jpg of the part \"photo\""))
  }
}
