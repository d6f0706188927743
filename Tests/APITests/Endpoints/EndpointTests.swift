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

@Suite("An endpoint is a request as a value")
struct EndpointTests {
  private struct Pet: Codable, Sendable, Equatable {
    var name: String
  }

  private struct PetByID: Endpoint {
    typealias Response = Pet
    let id: String
    var path: ResourcePath { "pets/\(id)" }
  }

  private struct Rename: Endpoint {
    typealias Response = Void
    let pet: Pet
    var method: HTTPMethod { .patch }
    var path: ResourcePath { "pets/\(7)" }
    var query: QueryItems { ["dry run": "1"] }
    var headers: HTTPHeaders { ["X-Reason": "wedding", "X-Reason": "moving"] }
    var body: RequestBody? { .json(pet) }
  }

  private struct Anything: Endpoint {
    typealias Response = RESTResponse
    var body: RequestBody?
    var path: ResourcePath { "any" }
    var method: HTTPMethod { body == nil ? .get : .post }
  }

  private func api(_ stubs: StubTransport) -> TestAPI { TestAPI(transport: stubs) }

  @Test("An endpoint sends its path, query, headers and body")
  func request() async throws {
    let stubs = StubTransport(
      .patch, "https://api.example.com/v1/pets/7?dry%20run=1", statusCode: 204)
    try await api(stubs).send(Rename(pet: Pet(name: "Ada")))

    let sent = try #require(stubs.requests.first)
    #expect(sent.httpMethod == "PATCH")
    #expect(sent.value(forHTTPHeaderField: "Content-Type") == "application/json")
    #expect(sent.value(forHTTPHeaderField: "X-Reason") == "wedding,moving")
    #expect(sent.httpBody.map { String(decoding: $0, as: UTF8.self) } == #"{"name":"Ada"}"#)
  }

  @Test("A decodable response is decoded, only with a good status")
  func decodable() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: "https://api.example.com/v1/pets/a%2Fb"),
        result: .json(#"{"name": "Ada"}"#)),
      StubAPIResponse(
        request: .init(.get, urlString: "https://api.example.com/v1/pets/c"), statusCode: 404,
        result: .json(#"{"name": "Ada"}"#)))
    #expect(try await api(stubs).send(PetByID(id: "a/b")) == Pet(name: "Ada"))
    let error = try await restError(of: api(stubs).publisher(for: PetByID(id: "c")))
    #expect(error.kind == .status(404))
  }

  @Test("A Void response needs a good status, too")
  func void() async throws {
    let stubs = StubTransport(
      .patch, "https://api.example.com/v1/pets/7?dry%20run=1", statusCode: 409)
    let error = try await restError(of: api(stubs).publisher(for: Rename(pet: Pet(name: "Ada"))))
    #expect(error.kind == .status(409))
  }

  private struct Photo: Endpoint {
    typealias Response = Data
    let path: ResourcePath = "photo"
  }

  @Test("A Data response is the body unchanged, only with a good status")
  func body() async throws {
    let stubs = StubTransport(
      .get, "https://api.example.com/v1/photo", result: .success(Data([0xFF, 0xD8])))
    #expect(try await api(stubs).send(Photo()) == Data([0xFF, 0xD8]))
    let missing = StubTransport(.get, "https://api.example.com/v1/photo", statusCode: 404)
    let error = try await restError(of: api(missing).publisher(for: Photo()))
    #expect(error.kind == .status(404))
  }

  private struct Removal: Endpoint {
    typealias Response = Void
    let path: ResourcePath = "photo"
  }

  @Test(
    "A good status is from 200 to 299, for any response",
    arguments: [(199, false), (200, true), (299, true), (300, false)])
  func goodStatus(status: Int, isGood: Bool) throws {
    let response = try makeResponse("x", status: status)
    #expect(answers(Photo(), response) == isGood)
    #expect(answers(Removal(), response) == isGood)
  }

  private func answers(_ endpoint: some Endpoint, _ response: RESTResponse) -> Bool {
    (try? endpoint.answer(response)) != nil
  }

  @Test("RESTResponse as the response type accepts any status")
  func response() async throws {
    let stubs = StubTransport(.get, "https://api.example.com/v1/any", statusCode: 500)
    #expect(try await api(stubs).send(Anything()).statusCode == 500)
  }

  @Test("Bytes are sent unchanged, with their given type")
  func bytes() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.post, urlString: "https://api.example.com/v1/any"))
        .thenRespondWith(
          request: .init(.post, urlString: "https://api.example.com/v1/any")))
    _ = try await api(stubs).send(
      Anything(body: .data(Data([1, 2]), contentType: "application/x-pair")))
    _ = try await api(stubs).send(Anything(body: .data(Data([3]), contentType: nil)))
    #expect(stubs.requests.map(\.httpBody) == [Data([1, 2]), Data([3])])
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Content-Type") }
        == ["application/x-pair", nil])
  }

  @Test("A form is sent with its files, and fails like a verb's form")
  func form() async throws {
    let folder = try TemporaryFolder()
    let photo = try folder.file("rex.jpg", Data([0xFF, 0xD8]))
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.post, urlString: "https://api.example.com/v1/any").multipartBody(
          StubPart(name: "title", value: "Rex"),
          StubPart(name: "photo", filename: "rex.jpg", data: Data([0xFF, 0xD8]))),
        statusCode: 201))
    let send = Anything(
      body: .multipart([.text(name: "title", "Rex"), .file(name: "photo", photo)]))
    #expect(try await api(stubs).send(send).statusCode == 201)

    try FileManager.default.removeItem(at: photo)
    let error = try await restError(of: api(stubs).publisher(for: send))
    #expect(error.kind == .file)
    #expect(error.description.contains("the file rex.jpg of the part \"photo\""))
  }

  @Test("A value that does not fit the path fails before anything is sent")
  func badPath() async throws {
    let stubs = StubTransport()
    let error = try await restError(of: api(stubs).publisher(for: PetByID(id: "")))
    #expect(error.kind == .invalidEndpoint)
    #expect(error.description.contains("path parameter is empty"))
    #expect(stubs.requests.isEmpty)
  }

  private struct Unencodable: Encodable, Sendable {
    var secret = Double.nan
  }

  @Test("A body that cannot be encoded fails before anything is sent, and names the place")
  func badBody() async throws {
    let stubs = StubTransport()
    let error = try await restError(
      of: api(stubs).publisher(for: Anything(body: .json(Unencodable()))))
    #expect(error.kind == .invalidRequest)
    #expect(error.attempts == 0)
    #expect(error.description.contains(#""secret" in its body cannot be encoded"#))
    #expect(stubs.requests.isEmpty)
  }

  @Test("The modifier sees the whole request, for each subscription")
  func modifier() async throws {
    let url = "https://api.example.com/v1/any"
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.get, urlString: url))
        .thenRespondWith(request: .init(.get, urlString: url)))
    let publisher = api(stubs).publisher(for: Anything()) {
      $0.adding("X-Path", $0.url?.path ?? "")
    }
    _ = try await publisher.value
    _ = try await publisher.value
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "X-Path") } == ["/v1/any", "/v1/any"])
  }

  @Test("A callback gets the response on its scheduler, or the error")
  func callback() {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      .get, "https://api.example.com/v1/pets/7", result: .json(#"{"name": "Ada"}"#))
    let answers = Lock<[Result<Pet, any Error>]>([])
    let call = api(stubs).send(PetByID(id: "7"), on: scheduler) { result in
      answers.withLock { $0.append(result) }
    }
    let failing = api(stubs).send(PetByID(id: "8"), on: scheduler) { result in
      answers.withLock { $0.append(result) }
    }
    #expect(answers.withLock { $0.isEmpty })
    scheduler.run()
    let results = answers.withLock { $0 }
    #expect(results.count == 2)
    #expect((try? results.first?.get()) == Pet(name: "Ada"))
    #expect(throws: StubError.self) { try results.last?.get() }
    withExtendedLifetime((call, failing)) {}
  }

  @MainActor private final class Screen {
    var names: [String] = []
  }

  @MainActor @Test("A callback without a scheduler runs on the main actor, and may use its state")
  func mainActorCallback() async {
    let stubs = StubTransport(
      .get, "https://api.example.com/v1/pets/7", result: .json(#"{"name": "Ada"}"#))
    let screen = Screen()
    let call = api(stubs).send(PetByID(id: "7")) { result in
      screen.names.append((try? result.get())?.name ?? "none")
    }
    let dropped: AnyCancellable? = api(stubs).send(PetByID(id: "8")) { _ in
      screen.names.append("never")
    }
    dropped?.cancel()
    #expect(screen.names.isEmpty)
    // The delivery was queued on the main actor before this one.
    await Task { @MainActor in }.value
    #expect(screen.names == ["Ada"])
    withExtendedLifetime(call) {}
  }

  @Test("A cancelled callback is not called")
  func cancelledCallback() {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      .get, "https://api.example.com/v1/pets/7", result: .json(#"{"name": "Ada"}"#))
    let answers = Lock(0)
    let call = api(stubs).send(PetByID(id: "7"), on: scheduler) { _ in
      answers.withLock { $0 += 1 }
    }
    call.cancel()
    scheduler.run()
    #expect(answers.withLock { $0 } == 0)
  }
}
