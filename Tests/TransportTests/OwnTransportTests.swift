import Fixtures
import Foundation
import RESTKit
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The parts of a custom transport")
struct OwnTransportTests {
  private static let url = URL(fileURLWithPath: "/")

  private func request(_ url: String, _ method: String = "POST") throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = method
    return request
  }

  // MARK: Requests

  @Test("A valid request passes, with a body and without")
  func goodRequest() throws {
    var request = try request("http://127.0.0.1/a")
    try request.validateForSending()
    try request.validateForSending(body: .data(Data("a".utf8)))
    request.httpBody = Data("a".utf8)
    try request.validateForSending()
    try self.request("http://127.0.0.1/a", "HEAD").validateForSending(body: .data(Data()))
  }

  @Test("An invalid request is refused with the part's name")
  func badRequest() throws {
    var reserved = try request("http://127.0.0.1/")
    reserved.setValue("chunked", forHTTPHeaderField: "Transfer-Encoding")
    try expect(.invalidRequest, "Transfer-Encoding") { try reserved.validateForSending() }
    let ftp = try request("ftp://127.0.0.1/")
    try expect(.unsupportedURL, "http") { try ftp.validateForSending() }
    var two = try request("http://127.0.0.1/")
    two.httpBody = Data("one".utf8)
    let body = RequestBody.data(Data("two".utf8))
    try expect(.invalidRequest, "two bodies") { try two.validateForSending(body: body) }
    let head = try request("http://127.0.0.1/", "HEAD")
    try expect(.invalidRequest, "HEAD") { try head.validateForSending(body: body) }
    var stream = try request("http://127.0.0.1/")
    stream.httpBodyStream = InputStream(data: Data("a".utf8))
    try expect(.invalidRequest, "stream") { try stream.validateForSending() }
  }

  private func expect(
    _ kind: TransportError.Kind, _ part: String, _ work: () throws -> Void
  ) throws {
    let fault = try #require(#expect(throws: TransportError.self, performing: work))
    #expect(fault.kind == kind)
    #expect(fault.detail.contains(part))
    #expect(!fault.mayHaveBeenProcessed)
  }

  // MARK: Bodies

  private func chunks(of body: OpenedRequestBody) async throws -> [Data] {
    try await body.chunks.collect().value
  }

  @Test("Data and files open with their length and come in chunks of the requested size")
  func openWhole() async throws {
    let folder = try TemporaryFolder()
    let data = patternedBody(2_500)
    for body in [RequestBody.data(data), .file(try folder.file("body", data))] {
      // A file is read anew for each attempt.
      for _ in 0..<2 {
        let opened = try body.open(chunkBytes: 1_000)
        #expect(opened.length == 2_500)
        let chunks = try await chunks(of: opened)
        #expect(chunks.map(\.count) == [1_000, 1_000, 500])
        #expect(chunks.reduce(Data(), +) == data)
      }
    }
    let empty = try RequestBody.data(Data()).open()
    #expect(empty.length == 0)
    #expect(try await chunks(of: empty).isEmpty)
  }

  @Test("A body is one chunk if chunks may have any size, even a slice")
  func oneChunk() async throws {
    let slice = patternedBody(2_500).dropFirst(500)
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    for body in [RequestBody.data(slice), .file(try folder.file("body", slice))] {
      #expect(try await chunks(of: body.open(chunkBytes: .max)) == [slice])
    }
  }

  @Test("A chunk has 64 KiB at most by default")
  func chunksUnasked() async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let data = patternedBody(100_000)
    for body in [RequestBody.data(data), .file(try folder.file("body", data))] {
      #expect(try await chunks(of: body.open()).map(\.count) == [65_536, 34_464])
    }
  }

  @Test("A chunk has at least one byte, for any requested size", arguments: [-1, 0, 1])
  func smallChunks(chunkBytes: Int) async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let data = Data("abc".utf8)
    for body in [RequestBody.data(data), .file(try folder.file("body", data))] {
      let chunks = try await chunks(of: body.open(chunkBytes: chunkBytes))
      #expect(chunks == ["a", "b", "c"].map { Data($0.utf8) })
    }
  }

  @Test("A file that grows during sending is sent with its length at the start")
  func longerFile() async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let data = patternedBody(150)
    let file = try folder.file("body", data)
    let opened = try RequestBody.file(file).open(chunkBytes: 100)
    let writer = try FileHandle(forWritingTo: file)
    _ = try writer.seekToEnd()
    try writer.write(contentsOf: Data(count: 100))
    try writer.close()
    let chunks = try await chunks(of: opened)
    #expect(chunks.map(\.count) == [100, 50])
    #expect(chunks.reduce(Data(), +) == data)
  }

  @Test("A publisher's chunks stay unchanged, without the empty ones, and open once")
  func openChunks() async throws {
    let parts = ["ab", "", "c"].map { Data($0.utf8) }
    let source = parts.publisher.setFailureType(to: (any Error).self)
    for length in [nil, 3] as [Int64?] {
      let body = RequestBody.chunks(source, length: length)
      let opened = try body.open()
      #expect(opened.length == length)
      #expect(try await chunks(of: opened) == [Data("ab".utf8), Data("c".utf8)])
      try expect(.invalidRequest, "isReplayable") { _ = try body.open() }
    }
  }

  @Test("A body of another length than announced fails", arguments: [2, 4] as [Int64])
  func wrongLength(length: Int64) async throws {
    let source = [Data("ab".utf8), Data("c".utf8)].publisher.setFailureType(to: (any Error).self)
    let opened = try RequestBody.chunks(source, length: length).open()
    let fault = await #expect(throws: TransportError.self) { try await chunks(of: opened) }
    #expect(fault?.kind == .sendFailed)
    #expect(fault?.detail.contains("\(length)") == true)
    #expect(fault?.mayHaveBeenProcessed == true)
  }

  @Test("A file that becomes shorter during sending fails; a missing file does not open")
  func shortFile() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("body", patternedBody(1_000))
    let opened = try RequestBody.file(file).open(chunkBytes: 100)
    let cutter = try FileHandle(forWritingTo: file)
    try cutter.truncate(atOffset: 150)
    try cutter.close()
    let fault = await #expect(throws: TransportError.self) { try await chunks(of: opened) }
    #expect(fault?.kind == .sendFailed)
    try expect(.invalidRequest, "file") {
      _ = try RequestBody.file(folder.url.appendingPathComponent("none")).open()
    }
  }

  // MARK: Responses

  private func intake(
    _ limits: TransportLimits = TransportLimits(), isCollected: Bool = true, status: Int = 200,
    _ headers: HTTPHeaders = [:]
  ) throws -> ResponseIntake {
    let intake = ResponseIntake(limits: limits, isCollected: isCollected)
    try intake.take(ResponseHead(url: Self.url, statusCode: status, headers: headers))
    return intake
  }

  @Test("An unencoded body passes unchanged, up to the limit on whole bodies")
  func plain() throws {
    var limits = TransportLimits()
    limits.bodyBytes = 5
    limits.errorBodyBytes = 3
    let whole = try intake(limits)
    #expect(try whole.take(Data("abcde".utf8)) == Data("abcde".utf8))
    try whole.finish()
    let fault = #expect(throws: TransportError.self) { try whole.take(Data("f".utf8)) }
    #expect(fault?.kind == .limitExceeded(.bodyBytes))
    #expect(fault?.statusCode == 200)
    let error = try intake(limits, status: 404)
    let errorFault = #expect(throws: TransportError.self) { try error.take(Data("abcd".utf8)) }
    #expect(errorFault?.kind == .limitExceeded(.errorBodyBytes))
    #expect(try intake(limits, isCollected: false).take(Data("abcdef".utf8)).count == 6)
  }

  @Test("The accepted codings are the decoded ones")
  func codings() throws {
    let accepted = ResponseIntake.acceptedCodings
    for (coding, bytes) in BodyFixtures.hellos where ["gzip", "deflate"].contains(coding) {
      let intake = try intake(["Content-Encoding": coding])
      if accepted.contains(coding) {
        #expect(try intake.take(bytes) == Data("hello hello hello".utf8))
      } else {
        #expect(throws: TransportError.self) { try intake.take(bytes) }
      }
    }
    #expect(accepted.contains("gzip") || accepted == "identity")
  }

  @Test("An unknown coding is a fault, unless the request chose its codings or the limits keep it")
  func unknownCoding() throws {
    let head = ResponseHead(url: Self.url, statusCode: 200, headers: ["Content-Encoding": "utf-8"])
    var limits = TransportLimits()
    limits.keepsUnknownCodings = true
    let intakes = [
      ResponseIntake(limits: TransportLimits(), isCollected: true, choosesCodings: true),
      ResponseIntake(limits: limits, isCollected: false),
    ]
    for intake in intakes {
      try intake.take(head)
      #expect(try intake.take(Data("text".utf8)) == Data("text".utf8))
      try intake.finish()
    }
    let refused = ResponseIntake(limits: TransportLimits(), isCollected: true)
    try refused.take(head)
    try expect(.undecodableBody) { _ = try refused.take(Data("text".utf8)) }
  }

  @Test("An oversized head, or one with two lengths, is refused")
  func heads() throws {
    var limits = TransportLimits()
    limits.headerCount = 2
    limits.headerBytes = 30
    try expect(.limitExceeded(.headerCount)) {
      _ = try intake(limits, ["A": "1", "B": "2", "C": "3"])
    }
    try expect(.limitExceeded(.headerBytes)) {
      _ = try intake(limits, ["A": String(repeating: "v", count: 30)])
    }
    try expect(.malformedResponse) {
      _ = try intake(["Content-Length": "1", "content-length": "2"])
    }
    _ = try intake(limits, ["A": "1", "B": "2"])
  }

  @Test("SEC-09: an unrequested switch of protocols is refused")
  func switching() throws {
    try expect(.malformedResponse) {
      _ = try intake(TransportLimits(), status: 101, ["Upgrade": "x"])
    }
  }

  @Test("A header line counts with four bytes more than its name and its value")
  func headerBytes() throws {
    var limits = TransportLimits()
    limits.headerBytes = 15
    let headers: HTTPHeaders = ["A": "1", "Bb": "123"]
    _ = try intake(limits, headers)
    limits.headerBytes = 14
    try expect(.limitExceeded(.headerBytes)) { _ = try intake(limits, headers) }
  }

  private func intake(_ headers: HTTPHeaders) throws -> ResponseIntake {
    try intake(TransportLimits(), headers)
  }

  private func expect(_ kind: TransportError.Kind, _ work: () throws -> Void) throws {
    let fault = try #require(#expect(throws: TransportError.self, performing: work))
    #expect(fault.kind == kind)
    #expect(fault.mayHaveBeenProcessed)
  }

  #if os(Linux)
    @Test("Codings are decoded, whole or byte for byte", arguments: BodyFixtures.hellos.indices)
    func codings(index: Int) throws {
      let (coding, bytes) = BodyFixtures.hellos[index]
      for size in [1, bytes.count] {
        let intake = try intake(["Content-Encoding": coding])
        var decoded = Data()
        for start in stride(from: 0, to: bytes.count, by: size) {
          decoded += try intake.take(bytes[start..<min(start + size, bytes.count)])
        }
        try intake.finish()
        #expect(decoded == Data("hello hello hello".utf8))
      }
    }

    @Test("Bytes that become many pieces are delivered as one")
    func manyPieces() throws {
      let intake = try intake(["Content-Encoding": "gzip"])
      let zeros = try intake.take(BodyFixtures.zerosMember + BodyFixtures.zerosMember)
      #expect(zeros == Data(count: 128 << 10))
      try intake.finish()
    }

    @Test("The limit on whole bodies applies to compressed bytes without output, too")
    func emptyBlocks() throws {
      var limits = TransportLimits()
      limits.bodyBytes = 16
      // The head of zlib, and 400 blocks without a byte.
      let bytes =
        Data([0x78, 0x01]) + Data((0..<400).flatMap { _ in [0, 0, 0, 0xFF, 0xFF] as [UInt8] })
      let collected = try intake(limits, ["Content-Encoding": "deflate"])
      try expect(.limitExceeded(.bodyBytes)) { _ = try collected.take(bytes) }
      let inPieces = try intake(limits, isCollected: false, ["Content-Encoding": "deflate"])
      #expect(try inPieces.take(bytes).isEmpty)
    }

    @Test("Compressed data that end early, are broken, or become too large are faults")
    func badCodings() throws {
      let bytes = BodyFixtures.hellos[0].bytes
      let cut = try intake(["Content-Encoding": "gzip"])
      _ = try cut.take(bytes.dropLast(9))
      try expect(.bodyCut) { try cut.finish() }
      let broken = try intake(["Content-Encoding": "gzip"])
      try expect(.undecodableBody) { _ = try broken.take(Data("not packed".utf8)) }
      let unknown = try intake(["Content-Encoding": "br"])
      try expect(.undecodableBody) { _ = try unknown.take(Data("x".utf8)) }
      var limits = TransportLimits()
      limits.bodyBytes = 16
      let large = try intake(limits, ["Content-Encoding": "gzip"])
      try expect(.limitExceeded(.bodyBytes)) { _ = try large.take(bytes) }
      let bomb = try intake(TransportLimits(), isCollected: false, ["Content-Encoding": "gzip"])
      try expect(.limitExceeded(.expansionRatio)) {
        for _ in 0..<32 { _ = try bomb.take(BodyFixtures.zerosMember) }
      }
    }
  #endif
}
