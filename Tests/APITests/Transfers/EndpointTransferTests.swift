import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Transfers of endpoints, and of paths with values", .leakFree)
struct EndpointTransferTests {
  private static let url = "https://api.example.com/v1/photos/a%2Fb"

  private struct PutPhoto: Endpoint {
    typealias Response = RESTResponse
    let name: String
    let method = HTTPMethod.put
    var path: ResourcePath { "photos/\(name)" }
    var query: QueryItems { ["draft": true] }
    let headers: HTTPHeaders = ["X-Kind": "photo"]
    let body = RequestBody.data(Data("bytes".utf8), contentType: "image/jpeg")
    let timeout = Duration.seconds(300)
  }

  private struct PhotoByName: Endpoint {
    typealias Response = Data
    let name: String
    var path: ResourcePath { "photos/\(name)" }
  }

  private struct Photo: Decodable, Equatable {
    let id: Int
  }

  private func stub(
    _ method: HTTPMethod, _ query: String = "", status: Int = 200, _ body: String = ""
  ) -> StubAPIResponse {
    StubAPIResponse(
      request: .init(method, urlString: Self.url + query), statusCode: status,
      result: .success(Data(body.utf8)))
  }

  @Test("An upload sends all of an endpoint, and its response is decoded beside the progress")
  func upload() async throws {
    let stubs = StubTransport(stub(.put, "?draft=true", status: 201, #"{"id": 7}"#))
    let seen = Lock<[Int64]>([])
    let photo = try await TestAPI(transport: stubs).upload(PutPhoto(name: "a/b"))
      .handleProgress { progress in seen.withLock { $0.append(progress.completedBytes) } }
      .decode(type: Photo.self)
      .value
    #expect(photo == Photo(id: 7))
    #expect(seen.withLock(\.last) == 5)
    let request = try #require(stubs.requests.first)
    #expect(request.value(forHTTPHeaderField: "X-Kind") == "photo")
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "image/jpeg")
    #expect(request.timeoutInterval == 300)
  }

  @Test("A refused upload fails with its status when its response is decoded")
  func refusedUpload() async throws {
    let stubs = StubTransport(stub(.post, status: 409, "taken"))
    let upload = TestAPI(transport: stubs)
      .upload("photos/\("a/b")", from: .data(Data("x".utf8), contentType: "image/png"))
    let error = try await restError(of: upload.decode(type: Photo.self))
    #expect(error.kind == .status(409))
    #expect(stubs.requests.first?.value(forHTTPHeaderField: "Content-Type") == "image/png")
  }

  @Test("validateStatus lets the progress and a good response pass, and fails for another status")
  func validatedUpload() async throws {
    let body = RequestBody.data(Data("bytes".utf8), contentType: "image/png")
    for (status, isAccepted) in [(201, true), (409, false)] {
      let stubs = StubTransport(stub(.post, status: status, "answer"))
      let subscriber = TestSubscriber<UploadEvent, any Error>()
      TestAPI(transport: stubs).upload("photos/\("a/b")", from: body)
        .validateStatus().subscribe(subscriber)
      #expect(subscriber.values.compactMap(\.response?.statusCode) == (isAccepted ? [201] : []))
      #expect(subscriber.values.contains { $0.response == nil })
      let error = subscriber.failure as? RESTError
      #expect(error?.kind == (isAccepted ? nil : .status(409)))
      #expect(error?.body == (isAccepted ? nil : Data("answer".utf8)))
    }
  }

  @Test("A download takes an endpoint or a path with values, and refuses what does not fit")
  func download() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: UUID().uuidString, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "photo")
    let stubs = StubTransport(stub(.get, "", "first"), stub(.get, "", "second"))
    let api = TestAPI(transport: stubs)
    _ = try await api.download(PhotoByName(name: "a/b"), to: file).allValues
    #expect(try String(contentsOf: file, encoding: .utf8) == "first")
    _ = try await api.download("photos/\("a/b")", to: file).allValues
    #expect(try String(contentsOf: file, encoding: .utf8) == "second")
    let error = try await restError(of: api.download("photos/\("..")", to: file))
    #expect(error.kind == .invalidEndpoint)
  }

  private struct Report: Endpoint {
    typealias Response = RESTResponse
    let path: ResourcePath = "report"
    let method = HTTPMethod.post
    let body = RequestBody.chunks(Just(Data("a".utf8)).setFailureType(to: (any Error).self))
  }

  @Test("A download with a body that would not be sent is refused")
  func downloadWithBody() async throws {
    let stubs = StubTransport()
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let error = try await restError(of: TestAPI(transport: stubs).download(Report(), to: file))
    #expect(error.kind == .invalidRequest)
    #expect(error.reason.contains("a download has no body"))
    #expect(stubs.requests.isEmpty)
  }

  private struct Named: Decodable {
    let fileName: String
  }

  @Test("An upload to a path has its method, and its response is decoded by the decoder")
  func methodAndDecoder() async throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let stubs = StubTransport(stub(.put, "", #"{"file_name": "x"}"#))
    let named = try await TestAPI(transport: stubs)
      .upload("photos/\("a/b")", from: .data(Data(), contentType: nil), method: .put)
      .decode(type: Named.self, decoder: decoder)
      .value
    #expect(named.fileName == "x")
    #expect(stubs.requests.count == 1)
  }

  private struct Patient: Endpoint {
    typealias Response = RESTResponse
    let path: ResourcePath = "photos/\("a/b")"
    var method = HTTPMethod.get
    var body: RequestBody?
    let retry = RetryPolicy(scheduler: .immediate)
  }

  @Test("The policy of an endpoint repeats its upload and its download")
  func retry() async throws {
    let folder = try TemporaryFolder()
    let stubs = StubTransport(
      stub(.put, status: 503), stub(.put), stub(.get, status: 503), stub(.get))
    let api = TestAPI(transport: stubs)
    let upload = Patient(method: .put, body: .data(Data("x".utf8), contentType: nil))
    #expect(try await api.upload(upload).allValues.last?.response?.statusCode == 200)
    _ = try await api.download(Patient(), to: folder.url.appending(path: "file")).allValues
    #expect(stubs.requests.count == 4)
  }

  @Test("Events take an endpoint or a path with values")
  func events() async throws {
    let stubs = StubTransport(stub(.get, "", "one\ntwo"), stub(.put, "?draft=true", "three"))
    let api = TestAPI(transport: stubs)
    #expect(try await api.events("photos/\("a/b")").lines().allValues == ["one", "two"])
    #expect(try await api.events(PutPhoto(name: "a/b")).lines().allValues == ["three"])
    #expect(stubs.requests.last?.httpBody == Data("bytes".utf8))
  }
}
