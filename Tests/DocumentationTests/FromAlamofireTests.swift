import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The examples of Docs/FromAlamofire.md run", .stubs, .leakFree)
struct FromAlamofireTests {
  private static let shop = "https://shop.example.com/v1"
  private let order = FromAlamofire.Order(id: 7, total: 12.5)

  private func api(_ stubs: StubTransport) -> FromAlamofire.ShopAPI {
    FromAlamofire.ShopAPI(baseURL: Self.shop, transport: stubs)
  }

  private func request(_ method: HTTPMethod, _ path: String) -> StubRequest {
    StubRequest(method, urlString: "\(Self.shop)/\(path)")
  }

  @Test("A list is decoded")
  func get() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: request(.get, "orders?page=2"), result: .json(#"[{"id": 7, "total": 12.5}]"#)))
    #expect(try await FromAlamofire.orders(of: api(stubs)) == [order])
  }

  @Test("A value is sent as JSON")
  func post() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: request(.post, "orders").header("Content-Type", "application/json")
          .jsonBody(#"{"sku": "A-1", "count": 2}"#),
        statusCode: 201, result: .json(encoding: order)))
    #expect(try await FromAlamofire.place(api(stubs)) == order)
  }

  @Test("A form is sent encoded")
  func form() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: request(.post, "newsletter")
          .formBody(["mail": "ada@example.com", "topic": "tea & coffee"]), statusCode: 204))
    #expect(try await FromAlamofire.subscribe(api(stubs)).value.statusCode == 204)
  }

  @Test("The cases of a router have their own paths, methods and queries")
  func router() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: request(.put, "orders/7/cancellation?reason=too%20late"),
        result: .json(encoding: order)))
    #expect(
      try await api(stubs).send(FromAlamofire.OrderRequest.cancel(id: 7, reason: "too late"))
        == order)
  }

  @MainActor @Test("A callback changes the screen unless the call is stopped")
  func callback() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: request(.get, "orders/7"), result: .json(encoding: order)),
      StubAPIResponse(request: request(.get, "orders/8"), result: .json(encoding: order)))
    let model = FromAlamofire.OrderModel(api: api(stubs))
    model.load(id: 7)
    await Task { @MainActor in }.value
    #expect(model.text == "12.5")
    let other = FromAlamofire.OrderModel(api: api(stubs))
    other.load(id: 8)
    other.stop()
    await Task { @MainActor in }.value
    #expect(other.text.isEmpty)
  }

  @Test("Every request of the app has its headers")
  func headers() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: request(.get, "catalog").header("Accept-Language", "de")
          .header("X-App-Version", "2.1"), result: .json("[]")))
    #expect(try await api(stubs).send(FromAlamofire.Catalog()).isEmpty)
  }

  @Test("An expired token is refreshed once")
  func tokens() async throws {
    let read = request(.get, "orders/7")
    let stubs = StubTransport(
      StubAPIResponse(request: read.header("Authorization", "Bearer old"), statusCode: 401)
        .thenRespondWith(
          request: StubRequest(.post, urlString: "https://id.example.com/refresh")
            .jsonBody(#"{"refreshToken": "once"}"#),
          result: .json(#"{"accessToken": "new", "refreshToken": "twice", "expiresIn": 3600}"#)
        )
        .thenRespondWith(
          request: read.header("Authorization", "Bearer new"), result: .json(encoding: order)))
    let api = try FromAlamofire.signedIn(
      with: Credential(accessToken: "old", refreshToken: "once"), transport: stubs)
    #expect(try await api.send(FromAlamofire.OrderRequest.read(id: 7)) == order)
  }

  @Test("A payment is retried with the key of the first attempt")
  func retry() async throws {
    let time = TestScheduler()
    var patient = FromAlamofire.patient
    patient.scheduler = time
    #expect(patient.maxAttempts == 5)
    let stubs = StubTransport(
      StubAPIResponse(request: request(.post, "payments"), statusCode: 503)
        .thenRespondWith(request: request(.post, "payments"), statusCode: 201))
    let seen = TestSubscriber<RESTResponse, any Error>()
    api(stubs).post(endpoint: "payments").retry(patient).subscribe(seen)
    time.advance(by: .seconds(1))
    #expect(seen.values.map(\.statusCode) == [201])
    let keys = stubs.requests.map { $0.value(forHTTPHeaderField: "Idempotency-Key") }
    #expect(keys.count == 2 && Set(keys).count == 1 && keys.first != .some(nil))

    let paid = StubTransport(
      StubAPIResponse(request: request(.post, "payments"), statusCode: 201))
    #expect(try await FromAlamofire.pay(api(paid)).value.statusCode == 201)
  }

  @Test(
    "The app explains each error",
    arguments: [
      (404, "{}", "There is no such order."),
      (409, #"{"detail": "It has left the house."}"#, "It has left the house."),
      (200, #"{"id": 7, "total": 2.5}"#, "2.5"),
    ])
  func errors(status: Int, body: String, text: String) async {
    let stubs = StubTransport(
      StubAPIResponse(
        request: request(.get, "orders/7"), statusCode: status,
        headers: ["Content-Type": status == 200 ? "application/json" : "application/problem+json"],
        result: .json(body)))
    #expect(await FromAlamofire.explain(api(stubs)) == text)
  }

  @Test("A call that takes too long is reported")
  func tooLong() async {
    let stubs = StubTransport(
      StubAPIResponse(request: request(.get, "orders/7"), result: .fault(.stall)))
    var api = api(stubs)
    api.retry = nil
    #expect(await FromAlamofire.explain(api) == "The shop takes its time.")
  }

  @Test("The log of a call is a text, and a request is a command without its secrets")
  func logs() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: request(.get, "catalog"), result: .json("[]")))
    let texts = Lock<[String]>([])
    let (transport, logging) = FromAlamofire.logged(stubs) { text in
      texts.withLock { $0.append(text) }
    }
    _ = try await FromAlamofire.ShopAPI(baseURL: Self.shop, transport: transport)
      .send(FromAlamofire.Catalog())
    withExtendedLifetime(logging) {}
    #expect(texts.withLock { $0 }.first?.contains("answered 200 OK") == true)

    let url = try #require(URL(string: "\(Self.shop)/catalog"))
    let command = FromAlamofire.described(
      URLRequest(url: url).addingBearerAuthorization(token: "s3cret"))
    #expect(command.contains("curl --request GET") && !command.contains("s3cret"))
  }

  @Test("A file is uploaded with progress, and another downloaded with progress")
  func transfers() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "backup")
    let bytes = Data(repeating: 7, count: 200_000)
    try bytes.write(to: file)
    let server = try MockServer { request in
      request.method == "PUT"
        ? MockResponse(status: 201) : MockResponse(status: 200, body: bytes)
    }
    defer { server.stop() }
    let api = FromAlamofire.ShopAPI(baseURL: server.baseURL)

    let sent = Lock<[Double]>([])
    let status = try await FromAlamofire.backUp(file, to: api) { part in
      sent.withLock { $0.append(part) }
    }
    #expect(status == 201)
    #expect(sent.withLock(\.last) == 1)
    #expect(server.requests.first?.body == bytes)

    var received: [Double] = []
    let catalog = folder.appending(path: "catalog.tar")
    try await FromAlamofire.fetchCatalog(of: api, to: catalog) { received.append($0) }
    #expect(received.last == 1)
    #expect(try Data(contentsOf: catalog) == bytes)
  }

  @Test("A multipart body has its parts")
  func multipart() async throws {
    let photo = Data([0xFF, 0xD8, 13, 10, 0xFF, 0xD9])
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try photo.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let stubs = StubTransport(
      StubAPIResponse(
        request: request(.post, "photos").multipartBody(
          StubPart(name: "title", value: "Rex"),
          StubPart(name: "photo", filename: "rex.jpg", contentType: "image/jpeg", data: photo)),
        statusCode: 204))
    try await api(stubs).send(FromAlamofire.SendPhoto(title: "Rex", photo: file))
  }

  #if os(Linux)
    @Test("A missing file of authorities is an error when the transport is made")
    func pins() {
      #expect(throws: TransportError.self) {
        try FromAlamofire.pinned(authority: URL(filePath: "/nowhere/ca.pem"))
      }
    }
  #endif
}
