import Fixtures
import Foundation
import RESTKitReports
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import HTTPTransport
@testable import HTTPWire
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("An API compresses the bodies of its requests", .leakFree)
struct RequestCompressionTests {
  private struct API: RESTAPI {
    var baseURL = "https://api.example.com/v1"
    let transport: any Transport
    var requestCompression: RequestCompression? = .gzip(minimumBytes: 100)
    var retry: RetryPolicy?
  }

  private static let text = Data(String(repeating: "compress me ", count: 1_000).utf8)

  private let scheduler = TestScheduler()

  private func transport(_ statuses: Int...) -> ScriptedTransport {
    ScriptedTransport(on: scheduler) { number, _ in
      statuses[min(number, statuses.count) - 1] == 307
        ? .status(307, ["Location": "/v2/elsewhere"])
        : .status(statuses[min(number, statuses.count) - 1])
    }
  }

  private func send(
    _ body: RequestBody, over transport: ScriptedTransport,
    compression: RequestCompression? = .gzip(minimumBytes: 100),
    modifier: @escaping RequestModifier = { $0 }
  ) throws -> URLRequest {
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    API(transport: transport, requestCompression: compression)
      .post(endpoint: "a", body: body, requestModifier: modifier)
      .receive(subscriber: subscriber)
    scheduler.run()
    return try #require(transport.requests.last)
  }

  private func coding(_ request: URLRequest) -> String? {
    request.value(forHTTPHeaderField: "Content-Encoding")
  }

  @Test("A body of the minimum size is compressed, and its header fields say so")
  func compressed() throws {
    let request = try send(.json(["text": Self.text]), over: transport(200))
    #expect(coding(request) == "gzip")
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
    let body = try #require(request.httpBody)
    #expect(body.count < 2_000)
    let json = try JSONDecoder().decode([String: Data].self, from: GzipEncoderTests.decoded(body))
    #expect(json == ["text": Self.text])
  }

  @Test("A body that is smaller, or that would not become smaller, stays unchanged")
  func small() throws {
    let bytes = Data((0..<99).map { _ in 65 })
    let request = try send(.data(bytes), over: transport(200))
    #expect(coding(request) == nil)
    #expect(request.httpBody == bytes)
    var generator = SeededGenerator(seed: 7)
    let noise = Data((0..<1_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
    #expect(coding(try send(.data(noise), over: transport(200))) == nil)
    let empty = try send(.data(Data()), over: transport(200), compression: .gzip(minimumBytes: 0))
    #expect(coding(empty) == nil)
  }

  @Test("An API without the property compresses nothing")
  func off() throws {
    #expect(coding(try send(.data(Self.text), over: transport(200), compression: nil)) == nil)
  }

  @Test(
    "A body stays unchanged if a header field describes its bytes or a compressed type",
    arguments: [
      ("content-encoding", "br"), ("Content-Encoding", "identity"),
      ("Content-Range", "bytes 0-11/12"), ("Content-Digest", "sha-256=:AA==:"),
      ("Repr-Digest", "sha-256=:AA==:"), ("Digest", "x"), ("Content-MD5", "x"),
      ("Content-Type", "image/png"), ("Content-Type", "Video/MP4; codecs=x"),
      ("Content-Type", "application/zip"),
    ])
  func spokenOf(name: String, value: String) throws {
    let request = try send(.data(Self.text), over: transport(200)) {
      $0.settingHeader(name, to: value)
    }
    #expect(request.httpBody == Self.text)
    #expect(request.value(forHTTPHeaderField: name) == value)
  }

  @Test("Images in text formats are compressed")
  func svg() throws {
    let request = try send(.data(Self.text, contentType: "image/svg+xml"), over: transport(200))
    #expect(coding(request) == "gzip")
  }

  @Test("A modifier sees the uncompressed body, and modifyRequest sees the compressed one")
  func order() async throws {
    let seen = Lock<[Int]>([])
    let transport = transport(200)
    _ = try await API(transport: transport)
      .post(endpoint: "a", body: .data(Self.text)) { request in
        seen.withLock { $0.append(request.httpBody?.count ?? 0) }
        return request
      }
      .modifyRequest { request in
        seen.withLock { $0.append(request.httpBody?.count ?? 0) }
        return request
      }
      .value
    let sent = try #require(transport.requests.first?.httpBody)
    #expect(seen.withLock { $0 } == [Self.text.count, sent.count])
  }

  @Test("A retry compresses again, and a redirect keeps the compressed body")
  func again() throws {
    let transport = transport(503, 307, 200)
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    API(transport: transport, retry: .test(scheduler))
      .put(endpoint: "a", body: .data(Self.text))
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(transport.requests.count == 3)
    #expect(transport.requests.map(coding) == ["gzip", "gzip", "gzip"])
    #expect(Set(transport.requests.map(\.httpBody)).count == 1)
    #expect(subscriber.values.map(\.statusCode) == [200])
  }

  @Test("A 303 drops the body and its coding")
  func seeOther() {
    let transport = ScriptedTransport(on: scheduler) { number, _ in
      number == 1 ? .status(303, ["Location": "/b"]) : .status(200)
    }
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    API(transport: transport).post(endpoint: "a", body: .data(Self.text))
      .receive(subscriber: subscriber)
    #expect(transport.requests.map(coding) == ["gzip", nil])
  }

  @Test("The error for a 415 mentions the compression")
  func refused() throws {
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    API(transport: transport(415)).post(endpoint: "a", body: .data(Self.text))
      .validateStatus()
      .receive(subscriber: subscriber)
    let error = try #require(subscriber.failure as? RESTError)
    #expect(error.kind == .status(415))
    #expect(error.remedy.contains("`requestCompression`"))
  }

  @Test("Files and chunks arrive compressed at a server, with their type and their progress")
  func server() async throws {
    let folder = FileManager.default.temporaryDirectory
    let file = folder.appendingPathComponent("RESTKit-\(UUID().uuidString)")
    try Self.text.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let received = Lock<[MockRequest]>([])
    let server = try MockServer { request in
      received.withLock { $0.append(request) }
      return .text("ok")
    }
    defer { server.stop() }
    let api = API(baseURL: server.baseURL, transport: .shared)
    let chunks = [Self.text, Self.text].publisher.setFailureType(to: (any Error).self)
    let bodies: [RequestBody] = [
      .file(file, contentType: "text/plain"), .chunks(chunks, contentType: "text/plain"),
      .data(Self.text, contentType: "text/plain"),
    ]
    for body in bodies {
      let response = try await api.put(endpoint: "a", body: body).value
      #expect(response.statusCode == 200)
      _ = try await api.upload(.put, endpoint: "a", body: .file(file)).allValues
    }
    let requests = received.withLock { $0 }
    #expect(requests.count == 6)
    for (index, request) in requests.enumerated() {
      #expect(request.value(for: "Content-Encoding") == "gzip")
      #expect(request.body.count < 1_000)
      let isTwice = index == 2
      #expect(
        try GzipEncoderTests.decoded(request.body) == Self.text + (isTwice ? Self.text : Data()))
    }
    #expect(requests[0].value(for: "Content-Type") == "text/plain")
    #expect(requests[4].value(for: "Content-Length") != nil)
  }

  @Test("A one-shot body is sent once")
  func once() async throws {
    let chunks = [Self.text].publisher.setFailureType(to: (any Error).self)
    let body = RequestBody.chunks(chunks).transformed { $0.gzipped() }
    #expect(!body.isReplayable)
    _ = try await body.collected().value
    await #expect(throws: TransportError.self) { try await body.collected().value }
    let replayable = RequestBody.chunks(chunks, isReplayable: true).transformed { $0.gzipped() }
    #expect(replayable.isReplayable)
    #expect(try await replayable.collected().value == replayable.collected().value)
  }

  @Test("A missing file fails before anything is sent")
  func missing() async throws {
    let transport = transport(200)
    let file = URL(fileURLWithPath: "/nowhere/at-all")
    let error = try await restError(
      of: API(transport: transport).put(endpoint: "a", body: .file(file)))
    #expect(error.kind == .invalidRequest)
    #expect(transport.requests.isEmpty)
  }

  @Test(
    "Texts that hide secrets do not show compressed bytes",
    arguments: [Redaction.byName, .strict])
  func redacted(redaction: Redaction) throws {
    let form = Data("password=s3cret&text=\(String(repeating: "a", count: 500))".utf8)
    let request = try send(
      .data(form, contentType: "application/x-www-form-urlencoded"), over: transport(200))
    let body = try #require(request.httpBody)
    let type = request.value(forHTTPHeaderField: "Content-Type")
    #expect(redaction.body(body, contentType: type, contentEncoding: coding(request)) == nil)
    #expect(Redaction.none.body(body, contentType: type, contentEncoding: "gzip") == body)
    let command = request.curlCommand(redaction: redaction)
    #expect(command.contains("Content-Encoding: gzip"))
    #expect(command.contains("<redacted>"))
  }

  @Test("A small file, and a body of known small length, stay unchanged")
  func smallFile() throws {
    var request = URLRequest(url: try #require(URL(string: "https://api.example.com")))
    let chunks = [Self.text].publisher.setFailureType(to: (any Error).self)
    var body: RequestBody? = .chunks(chunks, length: 99)
    try RequestCompression.gzip(minimumBytes: 100).compress(&request, &body)
    #expect(body?.length == 99)
    #expect(coding(request) == nil)
  }

  #if os(Linux)
    @Test("A compressor that fails ends the call before anything is sent, and says what helps")
    func failingCompressor() throws {
      var request = URLRequest(url: try #require(URL(string: "https://api.example.com")))
      request.httpMethod = "POST"
      request.httpBody = Self.text
      var body: RequestBody?
      let encoder = try GzipEncoderTests.stuck()
      let error = try #require(throws: RESTError.self) {
        try RequestCompression.gzip(minimumBytes: 100).compress(&request, &body) { encoder }
      }
      #expect(error.kind == .transport(.sendFailed))
      let fault = try #require(error.underlyingError as? TransportError)
      #expect(!fault.mayHaveBeenProcessed)
      #expect(fault.detail.contains("send the body without requestCompression"))
      #expect(error.request?.method == .post)
      #expect(request.httpBody == Self.text)
      #expect(coding(request) == nil)
    }

    @Test("A body in chunks is given the encoder that fails, too")
    func failingCompressorOfChunks() async throws {
      var request = URLRequest(url: try #require(URL(string: "https://api.example.com")))
      let chunks = [Self.text].publisher.setFailureType(to: (any Error).self)
      var body: RequestBody? = .chunks(chunks)
      let encoder = try GzipEncoderTests.stuck()
      try RequestCompression.gzip(minimumBytes: 100).compress(&request, &body) { encoder }
      #expect(coding(request) == "gzip")
      let compressed = try #require(body)
      let fault = try await #require(throws: TransportError.self) {
        try await compressed.collected().value
      }
      #expect(fault.kind == .sendFailed)
    }
  #endif
}
