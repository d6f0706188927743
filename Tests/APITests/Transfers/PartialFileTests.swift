import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The partial file of a download", .timeLimit(.minutes(10)))
struct PartialFileTests {
  private static let url = "https://api.example.com/v1/a"

  private func head(_ status: Int, _ headers: HTTPHeaders = [:]) throws -> ResponseHead {
    ResponseHead(url: try #require(URL(string: Self.url)), statusCode: status, headers: headers)
  }

  private func failure(of transport: any Transport, to file: URL) async -> RESTError? {
    let download = TestAPI(transport: transport).download(endpoint: "a", to: file)
    return await #expect(throws: RESTError.self) { try await download.allValues }
  }

  @Test("An operation on a released part fails, and leaves nothing")
  func gone() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let part = try PartialFile.open(for: file, location: Self.url)
    part.letGo()
    let error = #expect(throws: RESTError.self) { try part.take(head(200)) }
    #expect(error?.kind == .file)
    #expect(throws: RESTError.self) { try part.take(Data("late".utf8)) }
    #expect(try part.finish() == nil)
    #expect(try folder.names.isEmpty)
  }

  @Test("A 206 without an entity tag is not appended, and the part is kept until then")
  func untagged() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let first = try PartialFile.open(for: file, location: Self.url)
    _ = try first.take(head(200, ["ETag": "\"v1\"", "Content-Length": "6"]))
    _ = try first.take(Data("abc".utf8))
    first.letGo()

    let second = try PartialFile.open(for: file, location: Self.url)
    let range: HTTPHeaders = ["Content-Range": "bytes 3-5/6"]
    #expect(throws: PartialFileMismatch.noVersion) { try second.take(head(206, range)) }
    second.letGo()

    let third = try PartialFile.open(for: file, location: Self.url)
    let request = third.request(from: URLRequest(url: file))
    #expect(request.value(forHTTPHeaderField: "Range") == "bytes=3-")
    #expect(request.value(forHTTPHeaderField: "If-Range") == "\"v1\"")
  }

  @Test(
    "A part can resume only with one strong, non-empty entity tag",
    arguments: [
      ("\"v1\"", true), ("\"a\"", true), ("\"\"", false), ("\"", false), ("", false), ("v1", false),
      ("W/\"v1\"", false), ("\"v1", false), ("v1\"", false), ("\"a\"b\"", false),
      ("\"a\", \"b\"", false), ("\"a b\"", false), ("\"a!b\"", true), ("\"a\u{7F}\"", false),
      ("\"ü\"", true),
    ])
  func tags(tag: String, isStrong: Bool) throws {
    let note = PartialFileNote(of: try head(200, ["ETag": tag]), location: Self.url)
    #expect((note != nil) == isStrong)
    #expect(note?.entityTag == (isStrong ? tag : nil))
    let encoded = try head(200, ["ETag": tag, "Content-Encoding": "gzip"])
    #expect(PartialFileNote(of: encoded, location: Self.url) == nil)
  }

  @Test(
    "A length has digits only, and no sign",
    arguments: [
      ("5", 5), ("\t5 ", 5), ("5, 5", 5), ("-5", nil), ("+5", nil), ("", nil), ("5x", nil),
    ] as [(String, Int64?)])
  func contentLength(text: String, length: Int64?) throws {
    #expect(try head(200, ["Content-Length": text]).contentLength == length)
  }

  @Test("A 206 with another length than its range, or with more bytes, is not appended")
  func otherLength() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let part = try PartialFile.open(for: file, location: Self.url)
    _ = try part.take(head(200, ["ETag": "\"v1\"", "Content-Length": "6"]))
    _ = try part.take(Data("abc".utf8))
    for length in ["2", "4"] {
      let other = try head(
        206, ["Content-Range": "bytes 3-5/6", "ETag": "\"v1\"", "Content-Length": length])
      #expect(throws: PartialFileMismatch.otherLength) { try part.take(other) }
    }
    _ = try part.take(head(206, ["Content-Range": "bytes 3-5/6", "ETag": "\"v1\""]))
    #expect(throws: PartialFileMismatch.otherLength) { try part.take(Data("defg".utf8)) }
    #expect(try part.take(Data("def".utf8)).completedBytes == 6)
    #expect(try part.finish() != nil)
    #expect(try Data(contentsOf: file) == Data("abcdef".utf8))
  }

  @Test(
    "A part of one byte is resumed, and an empty one is not",
    arguments: [("", nil), ("a", "bytes=1-")] as [(String, String?)])
  func size(bytes: String, range: String?) throws {
    let folder = try TemporaryFolder()
    try folder.leavePart(Data(bytes.utf8), of: Self.url)
    let file = folder.url.appendingPathComponent("file")
    let part = try PartialFile.open(for: file, location: Self.url)
    let request = part.request(from: URLRequest(url: file))
    #expect(request.value(forHTTPHeaderField: "Range") == range)
  }

  @Test("A download that ends without a response leaves the part for the next one")
  func noResponse() throws {
    let folder = try TemporaryFolder()
    try folder.leavePart(Data("abc".utf8), of: Self.url)
    let file = folder.url.appendingPathComponent("file")
    let part = try PartialFile.open(for: file, location: Self.url)
    #expect(try part.finish() == nil)
    part.letGo()
    #expect(try folder.names == [".file.part", ".file.part.json"])
    let next = try PartialFile.open(for: file, location: Self.url)
    #expect(next.isResumable)
  }

  @Test("A head that comes after the release leaves the note of the next download")
  func lateHead() throws {
    let folder = try TemporaryFolder()
    try folder.leavePart(Data("abc".utf8), of: Self.url)
    let file = folder.url.appendingPathComponent("file")
    let part = try PartialFile.open(for: file, location: Self.url)
    part.letGo()
    let note = try folder.file(".file.part.json", Data("next".utf8))
    let late = try head(206, ["Content-Range": "bytes 3-5/6", "ETag": "\"v1\""])
    let error = #expect(throws: RESTError.self) { try part.take(late) }
    #expect(error?.kind == .file)
    #expect(try Data(contentsOf: note) == Data("next".utf8))
  }

  @Test(
    "A download that begins just as another one ends writes to a part of its own",
    arguments: [true, false])
  func raceWithEnd(isWhole: Bool) throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let first = try PartialFile.open(for: file, location: Self.url)
    _ = try first.take(head(200))
    _ = try first.take(Data("abc".utf8))
    let second = try PartialFile.open(for: file, location: Self.url) {
      if isWhole { _ = try? first.finish() }
      first.letGo()
    }
    #expect((try? Data(contentsOf: file)) == (isWhole ? Data("abc".utf8) : nil))
    _ = try second.take(head(200))
    _ = try second.take(Data("defg".utf8))
    #expect(try second.finish() != nil)
    #expect(try Data(contentsOf: file) == Data("defg".utf8))
  }

  @Test("A part of another URL is emptied at once, and removed with its note after its release")
  func otherPlace() throws {
    let folder = try TemporaryFolder()
    try folder.leavePart(Data("old bytes".utf8), of: "https://other.example/a")
    do {
      let file = folder.url.appendingPathComponent("file")
      let part = try PartialFile.open(for: file, location: Self.url)
      #expect(try part.take(Data("abc".utf8)).completedBytes == 3)
      let bytes = try Data(contentsOf: folder.url.appendingPathComponent(".file.part"))
      #expect(bytes == Data("abc".utf8))
    }
    #expect(try folder.names.isEmpty)
  }

  @Test("A note is removed as soon as a response makes the part useless")
  func note() throws {
    let folder = try TemporaryFolder()
    try folder.leavePart(Data("abc".utf8), of: Self.url)
    let file = folder.url.appendingPathComponent("file")
    let part = try PartialFile.open(for: file, location: Self.url)
    _ = try part.take(head(200))
    #expect(try folder.names == [".file.part"])
    part.letGo()
    #expect(try folder.names.isEmpty)
  }

  @Test("A response that tells nothing new leaves the note as it is", arguments: [206, 304])
  func unchangedNote(status: Int) throws {
    let folder = try TemporaryFolder()
    try folder.leavePart(Data("abc".utf8), of: Self.url, total: status == 206 ? 6 : 3)
    let part = try PartialFile.open(
      for: folder.url.appendingPathComponent("file"), location: Self.url)
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent(".file.part.json"))
    _ = try part.take(head(status, ["Content-Range": "bytes 3-5/6", "ETag": "\"v1\""]))
    #expect(try folder.names == [".file.part"])
    #expect(part.isResumable)
  }

  @Test("A missing total is the one that was sent before")
  func keptTotal() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let part = try PartialFile.open(for: file, location: Self.url)
    _ = try part.take(head(200, ["ETag": "\"v1\"", "Content-Length": "6"]))
    _ = try part.take(Data("abc".utf8))
    let rest = try head(206, ["Content-Range": "bytes 3-5/*", "ETag": "\"v1\""])
    #expect(try part.take(rest) == TransferProgress(completedBytes: 3, totalBytes: 6))
  }

  @Test("A request whose body was cut may have been processed")
  func cut() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let part = try PartialFile.open(for: file, location: Self.url)
    _ = try part.take(head(200, ["Content-Length": "6"]))
    _ = try part.take(Data("abc".utf8))
    let error = #expect(throws: RESTError.self) { try part.finish() }
    let fault = error?.underlyingError as? TransportError
    #expect(fault?.kind == .bodyCut)
    #expect(fault?.mayHaveBeenProcessed == true)
  }

  @Test("A part that can neither be moved into place nor resumed is removed")
  func noPlace() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let part = try PartialFile.open(for: file, location: Self.url)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    _ = try part.take(head(200))
    _ = try part.take(Data("abc".utf8))
    let error = #expect(throws: RESTError.self) { try part.finish() }
    #expect(error?.description.contains("file cannot be put in place") == true)
    part.letGo()
    #expect(try folder.names == ["file"])
  }

  @Test("A finished part does not touch the next download's files")
  func next() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let first = try PartialFile.open(for: file, location: Self.url)
    _ = try first.take(head(200))
    _ = try first.take(Data("one".utf8))
    #expect(try first.finish() != nil)
    let second = try PartialFile.open(for: file, location: Self.url)
    _ = try second.take(head(200))
    _ = try second.take(Data("two".utf8))
    first.letGo()
    #expect(try second.finish() != nil)
    #expect(try Data(contentsOf: file) == Data("two".utf8))
  }

  @Test("A body of another length than announced is cut, even if the transport called it whole")
  func shortBody() async throws {
    let folder = try TemporaryFolder()
    let server = ClosureTransport { request in
      .status(
        200, headers: ["Content-Length": "10", "ETag": "\"v1\""], data: Data("abc".utf8),
        to: request)
    }
    let error = await failure(of: server, to: folder.url.appendingPathComponent("file"))
    #expect(error?.kind == .transport(.bodyCut))
    #expect(error?.description.contains("3 of 10 bytes") == true)
    #expect(try folder.names == [".file.part", ".file.part.json"])
  }

  @Test("A note that cannot be written fails the download, and the error names it")
  func unwritableNote() async throws {
    let folder = try TemporaryFolder()
    let note = folder.url.appendingPathComponent(".file.part.json")
    try FileManager.default.createDirectory(at: note, withIntermediateDirectories: false)
    let stubs = StubTransport(.get, Self.url, headers: ["ETag": "\"v1\""])
    let error = await failure(of: stubs, to: folder.url.appendingPathComponent("file"))
    #expect(error?.kind == .file)
    #expect(error?.description.contains(".file.part.json cannot be written") == true)
  }

  @Test("SEC-09: a tag or a URL of other bytes is another one, even if Unicode calls it equal")
  func canonicallyEqual() throws {
    let (composed, decomposed) = ("\"\u{E9}\"", "\"e\u{301}\"")
    #expect(composed == decomposed)
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    try folder.leavePart(Data("abc".utf8), of: Self.url + "\u{E9}")
    let other = try PartialFile.open(for: file, location: Self.url + "e\u{301}")
    #expect(!other.isResumable)
    other.letGo()
    let part = try PartialFile.open(for: file, location: Self.url)
    _ = try part.take(head(200, ["ETag": composed, "Content-Length": "6"]))
    _ = try part.take(Data("abc".utf8))
    let range = try head(206, ["Content-Range": "bytes 3-5/6", "ETag": decomposed])
    #expect(throws: PartialFileMismatch.otherVersion) { try part.take(range) }
  }

  @Test("A cancel while the bytes go to the disk frees the part, and puts nothing in place")
  func releasedWhileWriting() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let part = try PartialFile.open(for: file, location: Self.url)
    _ = try part.take(head(200, ["ETag": "\"v1\"", "Content-Length": "3"]))
    _ = try part.take(Data("abc".utf8))
    var next: PartialFile?
    let head = try part.finish {
      part.letGo()
      next = try? PartialFile.open(for: file, location: Self.url)
    }
    #expect(head == nil)
    #expect(next?.isComplete == true)
    #expect(try folder.names == [".file.part", ".file.part.json"])
  }

  @Test("Sent bytes do not count as progress of the download", arguments: TransportKind.allCases)
  func sent(kind: TransportKind) async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let server = try MockServer { .text("got \($0.body.count)") }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    let events = try await api.download(endpoint: "a", to: file) { request in
      var request = request
      request.httpMethod = "POST"
      request.httpBody = patternedBody(100_000)
      return request
    }
    .allValues
    let progress = events.compactMap { event -> Int64? in
      if case .progress(let progress) = event { progress.completedBytes } else { nil }
    }
    #expect(progress.first == 0)
    #expect(progress.last == 10)
    #expect(progress == progress.sorted())
    #expect(try Data(contentsOf: file) == Data("got 100000".utf8))
  }

  @Test("Sent bytes reported by a custom transport do not count, either")
  func told() async throws {
    let folder = try TemporaryFolder()
    let stubs = StubTransport(.post, Self.url, result: .success(Data("whole".utf8)))
    let events = try await TestAPI(transport: stubs).download(
      endpoint: "a", to: folder.url.appendingPathComponent("file")
    ) { request in
      var request = request
      request.httpMethod = "POST"
      request.httpBody = patternedBody(1_000)
      return request
    }
    .allValues
    #expect(events.count == 3)
    #expect(try folder.names == ["file"])
  }
}
