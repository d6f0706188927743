import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Uploads, on real sockets", .timeLimit(.minutes(10)))
struct UploadTests {
  static let body = patternedBody(2 << 20)

  private func api(_ server: MockServer, _ kind: TransportKind) throws -> TestAPI {
    TestAPI(baseURL: server.baseURL, transport: try kind.make(), timeout: .seconds(3_600))
  }

  /// The whole of an upload's events: its progress and its response.
  private func result(
    of upload: AnyPublisher<UploadEvent, any Error>
  ) async throws -> (progress: [TransferProgress], response: RESTResponse?) {
    var progress: [TransferProgress] = []
    var response: RESTResponse?
    for try await event in upload.values {
      switch event {
      case .progress(let step): progress.append(step)
      case .response(let whole): response = whole
      }
    }
    return (progress, response)
  }

  private static func parts(_ count: Int = 64 << 10) -> [Data] {
    stride(from: 0, to: body.count, by: count).map { body[$0..<min($0 + count, body.count)] }
  }

  @Test("A file is sent whole, with its length and its progress", arguments: TransportKind.allCases)
  func file(kind: TransportKind) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("body", Self.body)
    let server = try MockServer { .text("\($0.body.count)", status: 201) }
    defer { server.stop() }
    let (progress, response) = try await result(
      of: try api(server, kind).upload(.put, endpoint: "a", body: .file(file)) {
        $0.adding("Content-Type", "application/x-tar")
      })
    #expect(response?.statusCode == 201)
    #expect(response?.data == Data("\(Self.body.count)".utf8))
    let request = try #require(server.requests.first)
    #expect(request.body == Self.body)
    #expect(request.value(for: "Content-Length") == "\(Self.body.count)")
    #expect(request.value(for: "Content-Type") == "application/x-tar")
    #expect(progress.last?.completedBytes == Int64(Self.body.count))
    #expect(progress == progress.sorted { $0.completedBytes < $1.completedBytes })
    // Where a subscriber is slow, one tells what several would have.
    #expect(progress.count > 1)
  }

  @Test("Bytes in memory are sent with their progress", arguments: TransportKind.allCases)
  func data(kind: TransportKind) async throws {
    let server = try MockServer { .text("\($0.body.count)") }
    defer { server.stop() }
    let (progress, response) = try await result(
      of: try api(server, kind).upload(endpoint: "a", body: .data(Self.body)))
    #expect(response?.data == Data("\(Self.body.count)".utf8))
    #expect(
      progress.last
        == TransferProgress(
          completedBytes: Int64(Self.body.count), totalBytes: Int64(Self.body.count)))
  }

  @Test(
    "A publisher's output is sent whole, with a length and without",
    arguments: TransportKind.allCases, [nil, 2 << 20] as [Int64?])
  func chunks(kind: TransportKind, length: Int64?) async throws {
    let server = try MockServer { .text("\($0.body.count)") }
    defer { server.stop() }
    let chunks = Self.parts().publisher.setFailureType(to: (any Error).self)
    let (progress, response) = try await result(
      of: try api(server, kind).upload(
        endpoint: "a", body: .chunks(chunks, length: length)))
    #expect(response?.statusCode == 200)
    #expect(server.requests.map(\.body) == [Self.body])
    #expect(progress.last?.completedBytes == Int64(Self.body.count))
    if kind != .urlSession {
      #expect(
        server.requests.first?.value(for: "Transfer-Encoding")
          == (length == nil ? "chunked" : nil))
      #expect(progress.last?.totalBytes == length)
    }
  }

  @Test("Empty chunks and an empty body cause no error", arguments: TransportKind.allCases)
  func empty(kind: TransportKind) async throws {
    let server = try MockServer { .text("\($0.body.count)") }
    defer { server.stop() }
    let api = try api(server, kind)
    for parts in [[Data(), Data("ab".utf8), Data(), Data("c".utf8)], [Data()], []] {
      let chunks = parts.publisher.setFailureType(to: (any Error).self)
      let (_, response) = try await result(of: api.upload(endpoint: "a", body: .chunks(chunks)))
      #expect(response?.data == Data("\(parts.reduce(Data(), +).count)".utf8))
    }
  }

  @Test(
    "A publisher of another length than announced fails the request",
    arguments: TransportKind.allCases, [1, (2 << 20) + 1] as [Int64])
  func wrongLength(kind: TransportKind, length: Int64) async throws {
    for compression in [nil, RequestCompression.gzip(minimumBytes: 1)] {
      try await wrongLength(kind, length, compression)
    }
  }

  private func wrongLength(
    _ kind: TransportKind, _ length: Int64, _ compression: RequestCompression?
  ) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let chunks = Self.parts().publisher.setFailureType(to: (any Error).self)
    let api = TestAPI(
      baseURL: server.baseURL, transport: try kind.make(), requestCompression: compression)
    let error = try await restError(
      of: api.events(.post, endpoint: "a", body: .chunks(chunks, length: length)).last())
    #expect(error.kind == .transport(.sendFailed))
    #expect(error.request?.method == .post)
    let fault = error.underlyingError as? TransportError
    #expect(fault?.kind == .sendFailed)
    #expect(fault?.detail.contains("\(length)") == true)
    #expect(server.requests.isEmpty)
  }

  @Test("The publisher's failure is the request's failure", arguments: TransportKind.allCases)
  func publisherFails(kind: TransportKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let chunks = Self.parts().publisher.setFailureType(to: (any Error).self)
      .append(Fail<Data, any Error>(error: TestFailure(name: "source")))
    let received = await (try api(server, kind)).events(
      .post, endpoint: "a", body: .chunks(chunks)
    ).received()
    #expect(received.failure as? TestFailure == TestFailure(name: "source"))
    #expect(server.requests.isEmpty)
  }

  #if os(Linux)
    @Test(
      "A publisher's demand follows the free space, and the request's cancel cancels the publisher")
    func backPressure() async throws {
      let server = try MockServer { _ in MockResponse(status: 200, delivery: .hang) }
      defer { server.stop() }
      let subject = PassthroughSubject<Data, any Error>()
      let requests = Mutex(0)
      let (begins, begin) = AsyncStream.makeStream(of: Void.self)
      let (cancels, continuation) = AsyncStream.makeStream(of: Void.self)
      let chunks = subject.handleEvents(
        receiveCancel: { continuation.yield() },
        receiveRequest: { demand in
          requests.withLock { $0 += demand.max ?? 1_000_000 }
          begin.yield()
        })
      let cancellable = try api(server, .curl).upload(endpoint: "a", body: .chunks(chunks))
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      for await _ in begins { break }
      cancellable.cancel()
      for await _ in cancels { break }
      #expect(requests.withLock { $0 } <= 2)
    }

    @Test("Chunks are sent as they arrive")
    func late() async throws {
      let server = try MockServer { .text(String(decoding: $0.body, as: UTF8.self)) }
      defer { server.stop() }
      let api = try api(server, .curl)
      // Each chunk waits for a whole call over the same thread.
      let chunks = ["one ", "two ", "three"].publisher.setFailureType(to: (any Error).self)
        .tryAsyncMap { word in
          _ = try await api.get(endpoint: "between").value
          return Data(word.utf8)
        }
      let (progress, response) = try await result(
        of: api.upload(endpoint: "a", body: .chunks(chunks)))
      #expect(response?.data == Data("one two three".utf8))
      #expect(progress.map(\.completedBytes) == [4, 8, 13])
    }
  #endif

  @Test(
    "A missing file is refused before anything is sent", arguments: TransportKind.allCases
  )
  func missingFile(kind: TransportKind) async throws {
    let folder = try TemporaryFolder()
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let received = await (try api(server, kind)).events(
      .put, endpoint: "a", body: .file(folder.url.appendingPathComponent("none"))
    ).received()
    #expect(received.error?.kind == .invalidRequest)
    #expect(received.error?.description.contains("the body's file none cannot be read") == true)
    #expect(received.error?.description.contains("Check that it is there") == true)
    #expect(server.connectionCount == 0)
  }

  @Test(
    "A folder and a pipe are refused before anything is sent",
    arguments: TransportKind.allCases)
  func noFile(kind: TransportKind) async throws {
    let folder = try TemporaryFolder()
    let pipe = folder.url.appendingPathComponent("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    // A folder opens as the longest of all files. Opening a pipe waits for a writer.
    for (file, reason) in [(folder.url, "Is a directory"), (pipe, "Illegal seek")] {
      let received = await (try api(server, kind)).events(.put, endpoint: "a", body: .file(file))
        .received()
      #expect(received.error?.kind == .invalidRequest)
      #expect(received.error?.description.contains(reason) == true)
    }
    #expect(server.connectionCount == 0)
  }

  @Test("A HEAD has no body, from any source", arguments: TransportKind.allCases)
  func headWithBody(kind: TransportKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let chunks = Just(Data("a".utf8)).setFailureType(to: (any Error).self)
    for body: RequestBody in [.data(Data("a".utf8)), .chunks(chunks)] {
      let received = await (try api(server, kind)).events(.head, endpoint: "a", body: body)
        .received()
      #expect(received.error?.kind == .invalidRequest)
      #expect(received.error?.description.contains("HEAD") == true)
    }
    #expect(server.connectionCount == 0)
    let empty = await (try api(server, kind)).events(.head, endpoint: "a", body: .data(Data()))
      .received()
    #expect(empty.heads.map(\.statusCode) == [200])
  }

  @Test("A request with two bodies is refused")
  func twoBodies() async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let received = await (try api(server, .urlSession)).events(
      .put, endpoint: "a",
      body: .chunks([Data("a".utf8)].publisher.setFailureType(to: (any Error).self))
    ) { request in
      var request = request
      request.httpBody = Data("b".utf8)
      return request
    }.received()
    #expect(received.error?.kind == .invalidRequest)
    #expect(server.connectionCount == 0)
  }

  @Test(
    "A 307 sends the file once more, a 303 sends none of it", arguments: TransportKind.allCases,
    [307, 303])
  func redirect(kind: TransportKind, status: Int) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("body", Data("body".utf8))
    let server = try MockServer { request in
      guard request.path == "/a" else { return .text("\(request.method) \(request.body.count)") }
      return MockResponse(status: status, headers: [("Location", "/b")])
    }
    defer { server.stop() }
    let (_, response) = try await result(
      of: try api(server, kind).upload(endpoint: "a", body: .file(file)))
    #expect(response?.data == Data((status == 307 ? "POST 4" : "GET 0").utf8))
  }

  @Test(
    "RT-09: a one-shot body is not sent twice, and the error says so",
    arguments: TransportKind.allCases)
  func oneShot(kind: TransportKind) async throws {
    let server = try MockServer { request in
      request.path == "/a"
        ? MockResponse(status: 307, headers: [("Location", "/b")]) : .text("\(request.body.count)")
    }
    defer { server.stop() }
    let chunks = Just(Data("body".utf8)).setFailureType(to: (any Error).self)
    let api = try api(server, kind)
    let received = await api.events(.post, endpoint: "a", body: .chunks(chunks)).received()
    #expect(received.error?.kind == .invalidRequest)
    #expect(received.error?.description.contains("isReplayable") == true)
    #expect(server.requests.map(\.path) == ["/a"])
    let (_, response) = try await result(
      of: api.upload(endpoint: "a", body: .chunks(chunks, isReplayable: true)))
    #expect(response?.data == Data("4".utf8))
  }

  @Test("A response that is too large fails the upload and names the limit")
  func largeResponse() async throws {
    let server = try MockServer { _ in MockResponse(status: 200, body: Self.body) }
    defer { server.stop() }
    var limits = TransportLimits()
    limits.bodyBytes = 1_000
    let api = TestAPI(baseURL: server.baseURL, transport: URLSessionTransport(limits: limits))
    let error = try await restError(
      of: api.upload(endpoint: "a", body: .data(Data("a".utf8))).last())
    #expect(error.kind == .transport(.limitExceeded(.bodyBytes)))
  }

  @Test("A transport that has only whole responses takes bodies, too", arguments: [0, 1, 2])
  func whole(source: Int) async throws {
    let folder = try TemporaryFolder()
    let body: RequestBody =
      switch source {
      case 0: .data(Data("body".utf8))
      case 1: .file(try folder.file("body", Data("body".utf8)))
      default:
        .chunks([Data("bo".utf8), Data("dy".utf8)].publisher.setFailureType(to: (any Error).self))
      }
    let stubs = StubTransport(.put, "https://api.example.com/v1/a", result: .json("{}"))
    let (progress, response) = try await result(
      of: TestAPI(transport: stubs).upload(.put, endpoint: "a", body: body))
    #expect(stubs.requests.map(\.httpBody) == [Data("body".utf8)])
    #expect(progress == [TransferProgress(completedBytes: 4, totalBytes: 4)])
    #expect(response?.data == Data("{}".utf8))
  }
}
