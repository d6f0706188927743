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

@Suite("A multipart form (RFC 7578)", .leakFree)
struct MultipartFormTests {
  private static let url = "https://api.example.com/v1/photos"

  private func sent(_ form: MultipartForm) async throws -> URLRequest {
    let stubs = StubTransport(.post, Self.url)
    _ = try await TestAPI(transport: stubs).post(endpoint: "photos", body: .multipart(form)).value
    return try #require(stubs.requests.first)
  }

  private func body(_ form: MultipartForm) async throws -> String {
    String(decoding: try await sent(form).httpBody ?? Data(), as: UTF8.self)
  }

  @Test("Equal random numbers give equal bytes")
  func bytes() async throws {
    var zeros = Zeros()
    let form = MultipartForm(
      [
        .text(name: "title", "Rex\r\nand Bo"),
        .data(name: "crop", Data("{}".utf8), contentType: "application/json"),
        .data(name: "photo", Data("…".utf8), filename: "Größe.png"),
        .data(name: "raw", Data("1".utf8)),
      ], using: &zeros)
    let boundary = String(repeating: "0", count: 32)
    let request = try await sent(form)
    #expect(
      request.value(forHTTPHeaderField: "Content-Type")
        == "multipart/form-data; boundary=\(boundary)")
    let expected = """
      --\(boundary)
      Content-Disposition: form-data; name="title"

      Rex
      and Bo
      --\(boundary)
      Content-Disposition: form-data; name="crop"
      Content-Type: application/json

      {}
      --\(boundary)
      Content-Disposition: form-data; name="photo"; filename="Größe.png"
      Content-Type: application/octet-stream

      …
      --\(boundary)
      Content-Disposition: form-data; name="raw"

      1
      --\(boundary)--

      """
    #expect(request.httpBody == Data(expected.replacing("\n", with: "\r\n").utf8))
  }

  @Test("A form without parts is its last delimiter")
  func empty() async throws {
    var zeros = Zeros()
    let boundary = String(repeating: "0", count: 32)
    #expect(try await body(MultipartForm([], using: &zeros)) == "--\(boundary)--\r\n")
  }

  @Test("No part in memory contains the boundary, with any generator")
  func boundary() async throws {
    var zeros = Zeros()
    let drawn = String(repeating: "0", count: 32)
    let form = MultipartForm(
      [.text(name: "a", "\r\n--\(drawn)--"), .data(name: "b", Data("\(drawn)-1".utf8))],
      using: &zeros)
    #expect(
      try await sent(form).value(forHTTPHeaderField: "Content-Type")
        == "multipart/form-data; boundary=\(drawn)-2")
  }

  @Test("A boundary that occurs in the contents gets a number, from 1 on")
  func counted() {
    var zeros = Zeros()
    let drawn = String(repeating: "0", count: 32)
    let form = MultipartForm([.text(name: "a", drawn)], using: &zeros)
    #expect(form.contentType == "multipart/form-data; boundary=\(drawn)-1")
  }

  @Test("The lowest six bits of each number select one character")
  func characters() {
    var numbers = Numbers()
    let drawn = (1...2).map { _ in MultipartBoundary.draw(absentFrom: [], using: &numbers) }
    #expect(
      drawn == ["0123456789ABCDEFGHIJKLMNOPQRSTUV", "WXYZabcdefghijklmnopqrstuvwxyz-_"])
  }

  @Test(
    "A character that would end a name is escaped, even alone",
    arguments: [("a\"", "a%22"), ("a\r", "a%0D"), ("a\n", "a%0A"), ("a!", "a!")])
  func alone(name: String, escaped: String) {
    #expect(name.escapedForMultipart == escaped)
  }

  @Test("Each form has its own boundary, which needs no quotation marks")
  func boundaries() async throws {
    var boundaries: Set<String> = []
    for _ in 0..<20 {
      let type = try await sent([.text(name: "a", "b")]).value(forHTTPHeaderField: "Content-Type")
      let match = try #require(
        type?.wholeMatch(of: /multipart\/form-data; boundary=([0-9A-Za-z_-]{32})/))
      boundaries.insert(String(match.1))
    }
    #expect(boundaries.count == 20)
  }

  @Test("A name ends neither its quotation marks nor its line")
  func names() async throws {
    let hostile = "a\"\r\nX-Evil: 1; b=%22\u{301}é"
    let text = try await body([.data(name: hostile, Data(), filename: hostile)])
    let escaped = "a%22%0D%0AX-Evil: 1; b=%22\u{301}é"
    #expect(
      text.contains(
        "\r\nContent-Disposition: form-data; name=\"\(escaped)\"; filename=\"\(escaped)\"\r\n"))
    #expect(text.split(separator: "\r\n").count == 4)
  }

  @Test(
    "An invalid content type is refused before anything is sent, and its part is named",
    arguments: [
      "", "image", "image/", "/png", "image/png\r\nX-Evil: 1", "image/png;\n", "ima ge/png",
      "image/png, text/plain", "text/plain; charset=\u{E9}", "text/plain\0", " text/plain",
    ])
  func illegalType(type: String) async throws {
    let stubs = StubTransport()
    let form: MultipartForm = [
      .text(name: "title", "Rex"), .data(name: "photo", Data(), contentType: type),
    ]
    for kind in [0, 1] {
      let api = TestAPI(transport: stubs)
      let error =
        kind == 0
        ? try await restError(of: api.post(endpoint: "photos", body: .multipart(form)))
        : try await restError(of: api.upload(endpoint: "photos", body: .multipart(form)))
      #expect(error.kind == .invalidRequest)
      #expect(error.attempts == 0)
      #expect(
        error.description.contains(#"the content type of the part "photo" is not a media type"#))
      #expect(error.remedy.contains("image/png"))
    }
    #expect(stubs.requests.isEmpty)
  }

  @Test(
    "A content type may have parameters",
    arguments: [
      "image/png", "text/plain; charset=utf-8", "text/plain;charset=\"utf-8\" ; a=b",
      "application/vnd.api+json", "x-a/*",
    ])
  func type(type: String) async throws {
    let text = try await body([.data(name: "a", Data(), contentType: type)])
    #expect(text.contains("\r\nContent-Type: \(type)\r\n\r\n"))
  }

  @Test("Each way of sending a form matches a stub, part by part", arguments: [0, 1, 2, 3, 4])
  func stub(way: Int) async throws {
    let photo = Data([0xFF, 0xD8, 13, 10, 0, 0xFF, 0xD9])
    let folder = try TemporaryFolder()
    let notes = try folder.file("notes; \"1\".txt", Data("two\r\nlines".utf8))
    let form: MultipartForm = [
      .text(name: "title; name=\"x\"", "Rex\r\n"),
      .data(name: "photo", photo, filename: "a;b=\"c\"\r\n.jpg", contentType: "image/jpeg"),
      .file(name: "notes", notes, contentType: "text/plain"),
      .text(name: "", ""),
    ]
    let methods: [HTTPMethod] = [.post, .put, .patch, .post, .put]
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(methods[way], urlString: Self.url).multipartBody(
          StubPart(name: "title; name=\"x\"", value: "Rex\r\n"),
          StubPart(
            name: "photo", filename: "a;b=\"c\"\r\n.jpg", contentType: "image/jpeg", data: photo),
          StubPart(
            name: "notes", filename: "notes; \"1\".txt", contentType: "text/plain",
            data: Data("two\r\nlines".utf8)),
          StubPart(name: "", value: "")),
        statusCode: 201))
    let api = TestAPI(transport: stubs)
    let status =
      switch way {
      case 0: try await api.post(endpoint: "photos", body: .multipart(form)).value.statusCode
      case 1: try await api.put(endpoint: "photos", body: .multipart(form)).value.statusCode
      case 2: try await api.patch(endpoint: "photos", body: .multipart(form)).value.statusCode
      case 3:
        try await api.upload(endpoint: "photos", body: .multipart(form)).last().value.response?
          .statusCode
      default:
        try await api.upload(.put, endpoint: "photos", body: .multipart(form)).last().value
          .response?
          .statusCode
      }
    #expect(status == 201)
    try stubs.verify()
  }

  @Test("The modifier sees the type, and a body in memory")
  func modifier() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.post, urlString: Self.url))
        .thenRespondWith(request: .init(.post, urlString: Self.url)))
    let api = TestAPI(transport: stubs)
    let form: MultipartForm = [.text(name: "a", "b")]
    let modifier: RequestModifier = { request in
      let type = request.value(forHTTPHeaderField: "Content-Type") ?? ""
      return request.settingHeader("Content-Type", to: type + "; x=1").settingHeader(
        "X-Length", to: "\(request.httpBody?.count ?? 0)")
    }
    _ = try await api.post(endpoint: "photos", body: .multipart(form), requestModifier: modifier)
      .value
    _ = try await api.upload(endpoint: "photos", body: .multipart(form), requestModifier: modifier)
      .last().value
    for request in stubs.requests {
      #expect(request.value(forHTTPHeaderField: "Content-Type")?.hasSuffix("; x=1") == true)
    }
    let length = try #require(stubs.requests.first?.httpBody?.count)
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "X-Length") }
        == ["\(length)", "\(length)"])
  }

  @Test("A retry sends the same bytes, with the same boundary")
  func retry() throws {
    let folder = try TemporaryFolder()
    let form: MultipartForm = [
      .text(name: "a", "b"), .file(name: "c", try folder.file("c", Data("d".utf8))),
    ]
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(.status(503), .status(201), on: scheduler)
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    TestAPI(transport: transport).put(endpoint: "photos", body: .multipart(form))
      .retry(.test(scheduler)).receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.values.map(\.statusCode) == [201])
    let bodies = transport.requests.map(\.httpBody)
    #expect(bodies.count == 2)
    #expect(bodies.first == bodies.last)
    #expect(bodies.first??.isEmpty == false)
  }
}

/// Gives no numbers but zeros.
struct Zeros: RandomNumberGenerator {
  mutating func next() -> UInt64 { 0 }
}

/// Gives the numbers from 0 on.
private struct Numbers: RandomNumberGenerator {
  private var count: UInt64 = 0

  mutating func next() -> UInt64 {
    defer { count += 1 }
    return count
  }
}
