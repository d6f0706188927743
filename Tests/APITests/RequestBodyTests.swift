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

@Suite("A request body is one type, for each verb, each endpoint and each transport", .leakFree)
struct RequestBodyTests {
  private static let url = "https://api.example.com/v1/things"

  private struct Thing: Endpoint {
    typealias Response = Void
    let body: RequestBody?
    var method: HTTPMethod { .post }
    var path: ResourcePath { "things" }
    var headers: HTTPHeaders = [:]
  }

  private struct Refusal: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws { throw TestFailure() }
  }

  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let body: RequestBody
    let contentType: String?
    let data: Data

    static let all = [
      Kind("bytes", .data(Data("1".utf8)), nil, "1"),
      Kind("bytes of a type", .data(Data("1".utf8), contentType: "text/plain"), "text/plain", "1"),
      Kind("JSON", .json([1]), "application/json", "[1]"),
      Kind(
        "a form", .form([URLQueryItem(name: "a", value: "b c")]),
        "application/x-www-form-urlencoded", "a=b%20c"),
      Kind(
        "chunks",
        .chunks(
          ["1", "2"].publisher.map { Data($0.utf8) }.setFailureType(to: (any Error).self),
          contentType: "text/csv"),
        "text/csv", "12"),
    ]

    private init(_ name: String, _ body: RequestBody, _ contentType: String?, _ text: String) {
      testDescription = name
      self.body = body
      self.contentType = contentType
      data = Data(text.utf8)
    }
  }

  private func post() -> StubTransport { StubTransport(.post, Self.url) }

  @Test("A verb sends each kind of body, with its type", arguments: Kind.all)
  func verb(kind: Kind) async throws {
    let stubs = post()
    _ = try await TestAPI(transport: stubs).post(endpoint: "things", body: kind.body).value
    let request = try #require(stubs.requests.first)
    #expect(request.value(forHTTPHeaderField: "Content-Type") == kind.contentType)
    #expect(request.httpBody == kind.data)
  }

  @Test("An upload and an exchange in pieces send each kind of body")
  func pieces() async throws {
    for kind in Kind.all.dropLast() {
      let answer = StubAPIResponse(request: .init(.post, urlString: Self.url))
      let stubs = StubTransport(answer, answer)
      let api = TestAPI(transport: stubs)
      let events = try await api.upload(endpoint: "things", body: kind.body).collect().value
      #expect(events.last?.response?.statusCode == 200)
      _ = try await api.events(.post, endpoint: "things", body: kind.body).collect().value
      #expect(
        stubs.requests.map { $0.value(forHTTPHeaderField: "Content-Type") }
          == [kind.contentType, kind.contentType])
      #expect(stubs.requests.map(\.httpBody) == [kind.data, kind.data])
    }
  }

  @Test("An endpoint sends its body, and its headers beside the type")
  func endpoint() async throws {
    let stubs = post()
    try await TestAPI(transport: stubs).send(
      Thing(body: .json([1]), headers: ["X-Shop": "7"]))
    let request = try #require(stubs.requests.first)
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
    #expect(request.value(forHTTPHeaderField: "X-Shop") == "7")
  }

  @Test("An endpoint's header replaces the body's type, and may have several lines")
  func endpointHeaders() async throws {
    let stubs = post()
    let headers: HTTPHeaders = [
      "content-type": "application/merge-patch+json", "X-Shop": "7", "x-shop": "8",
    ]
    try await TestAPI(transport: stubs).send(Thing(body: .json([1]), headers: headers))
    let request = try #require(stubs.requests.first)
    #expect(
      request.value(forHTTPHeaderField: "Content-Type") == "application/merge-patch+json")
    #expect(request.value(forHTTPHeaderField: "X-Shop") == "7,8")
  }

  @Test("A verb sends a file with its type, and collects the response")
  func file() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data("whole".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let stubs = StubTransport(.put, Self.url, result: .success(Data("stored".utf8)))
    let response = try await TestAPI(transport: stubs)
      .put(endpoint: "things", body: .file(file, contentType: "text/plain")).value
    #expect(response.data == Data("stored".utf8))
    let request = try #require(stubs.requests.first)
    #expect(request.httpBody == Data("whole".utf8))
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "text/plain")
  }

  @Test("The length of a link to a file is that of the file")
  func link() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("file", Data("whole".utf8))
    let link = folder.url.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    #expect(RequestBody.file(link).expectedLength == 5)
  }

  @Test("A modifier sees the bytes of an upload, and its changes are sent")
  func seenByModifier() async throws {
    let stubs = post()
    let events = try await TestAPI(transport: stubs)
      .upload(endpoint: "things", body: .json([1])) { request in
        #expect(request.httpBody == Data("[1]".utf8))
        var request = request
        request.httpBody = Data("[1, 2]".utf8)
        return request
      }
      .collect().value
    #expect(events.last?.response?.statusCode == 200)
    #expect(stubs.requests.map(\.httpBody) == [Data("[1, 2]".utf8)])
  }

  @Test("A transport makes a body that is not made yet")
  func madeByTransport() async throws {
    let server = try MockServer { _ in MockResponse(status: 200) }
    defer { server.stop() }
    for kind in TransportKind.allCases {
      let transport = try kind.make()
      var request = URLRequest(url: try #require(URL(string: server.baseURL)))
      request.httpMethod = "POST"
      _ = try await transport.events(for: request, body: .json([1])).collect().value
      #expect(server.requests.last?.body == Data("[1]".utf8))
      let error = try await restError(
        of: transport.events(for: request, body: .json(Refusal())).collect())
      #expect(error.kind == .invalidRequest)
      #expect(error.description.contains("its body cannot be made"))
    }
  }

  @Test("A body that cannot be sent, or not again, is an error before anything is sent")
  func noBegin() throws {
    let once = RequestBody.chunks(
      [Data("1".utf8)].publisher.setFailureType(to: (any Error).self))
    #expect(!once.isReplayable)
    _ = try once.begin()
    for body in [once, .json(Refusal())] {
      let fault = #expect(throws: TransportError.self) { _ = try body.begin() }
      #expect(fault?.kind == .invalidRequest)
      #expect(fault?.mayHaveBeenProcessed == false)
    }
  }

  @Test("Only publishers and bodies that are not made yet may come in chunks")
  func mayComeInChunks() {
    let chunks = [Data("1".utf8)].publisher.setFailureType(to: (any Error).self)
    for body in [RequestBody.chunks(chunks), .json([1])] { #expect(body.mayComeInChunks) }
    for body in [RequestBody.data(Data()), .file(URL(filePath: "/a"))] {
      #expect(!body.mayComeInChunks)
    }
  }

  @Test("A body's description does not show its content")
  func description() {
    #expect(RequestBody.data(Data(count: 3)).description == "body from bytes, 3 bytes")
    #expect(
      RequestBody.json(["secret"]).description == "body from a maker of application/json")
    #expect(
      RequestBody.multipart([.text(name: "a", "secret")]).description
        == "body from a maker of multipart/form-data")
  }
}
