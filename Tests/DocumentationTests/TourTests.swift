import Foundation
import IdentityKit
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The examples of Docs/Tour.md run", .leakFree)
struct TourTests {
  @Test("Orders arrive through the endpoint, and through the session after a refresh")
  func endpointAndSession() async throws {
    let mine = StubRequest(.get, urlString: "https://shop.example.com/v1/me/orders")
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: "https://shop.example.com/v1/orders/7"),
        result: .json(#"{"id": 7, "total": 12.5}"#)),
      StubAPIResponse(request: mine, statusCode: 401)
        .thenRespondWith(
          request: .init(.post, urlString: "https://id.example.com/token"),
          result: .json(#"{"access_token": "fresh", "token_type": "Bearer"}"#)
        )
        .thenRespondWith(request: mine, result: .json(#"[{"id": 8, "total": 1}]"#)))
    let api = ShopAPI(baseURL: "https://shop.example.com/v1", transport: stubs)
    #expect(try await api.order(7).id == 7)
    let session = makeSession(transport: stubs)
    try session.signIn(Credential(accessToken: "expired", refreshToken: "refresh-1"))
    #expect(try await api.myOrders(in: session).value.map(\.id) == [8])
    try stubs.verify()
  }

  @Test("The reservation is sent again with the same key")
  func reservation() async throws {
    let request = StubRequest(.post, urlString: "https://stock.example.com/reservations")
    let stubs = StubTransport(
      StubAPIResponse(request: request, statusCode: 503)
        .thenRespondWith(request: request, statusCode: 201))
    var api = StockAPI(baseURL: "https://stock.example.com", transport: stubs)
    api.retry.maxDelay = .zero

    let response = try await api.reserve(Data("{}".utf8)).value

    #expect(response.statusCode == 201)
    let keys = stubs.requests.compactMap { $0.value(forHTTPHeaderField: "Idempotency-Key") }
    #expect(keys.count == 2 && Set(keys).count == 1)
    try stubs.verify()
  }

  @Test("The model greets the signed-in user")
  @MainActor
  func profileModel() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: "https://id.example.com/me"),
        result: .json(#"{"self": {"firstName": "Ada", "lastName": "Lovelace"}}"#)))
    let identity = IdentityService(baseURL: "https://id.example.com", transport: stubs)
    try identity.signIn(Credential(accessToken: "valid"))
    let model = ProfileModel(identity: identity)
    model.load()
    // The model's delivery was queued on the main actor before this one.
    _ = try await identity.fetchProfile.value
    #expect(model.greeting == "Hello, Ada")
  }

  @Test("Prices are shown as they arrive, until the task ends")
  func prices() async {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: "https://shop.example.com/v1/prices"),
        headers: ["Content-Type": "text/event-stream"],
        pieces: ["data: 12.50\n\nda", "ta: 13.00\n\n"], end: .silence),
      scheduler: TestScheduler())
    let api = ShopAPI(baseURL: "https://shop.example.com/v1", transport: stubs)
    let (prices, price) = AsyncStream.makeStream(of: String.self)
    let following = Task { try await api.followPrices { price.yield($0) } }
    var shown: [String] = []
    for await text in prices {
      shown.append(text)
      if shown.count == 2 { break }
    }
    following.cancel()
    _ = await following.result
    #expect(shown == ["12.50", "13.00"])
    #expect(stubs.journal.map(\.outcome) == [.cancelled])
  }

  @Test("A catalog is downloaded, and a backup uploaded from a file")
  func transfers() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "catalog.tar")
    let backup = StubRequest(.put, urlString: "https://shop.example.com/v1/backup")
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: "https://shop.example.com/v1/catalog.tar"),
        result: .success(Data("catalog".utf8))),
      StubAPIResponse(request: backup.body(Data("catalog".utf8)), statusCode: 201),
      StubAPIResponse(
        request: .init(.post, urlString: "https://shop.example.com/v1/photos").multipartBody(
          StubPart(name: "title", value: "Tea"),
          StubPart(
            name: "photo", filename: "catalog.tar", contentType: "image/jpeg",
            data: Data("catalog".utf8))),
        statusCode: 201))
    let api = ShopAPI(baseURL: "https://shop.example.com/v1", transport: stubs)

    _ = try await api.saveCatalog(to: file).collect().value
    #expect(try Data(contentsOf: file) == Data("catalog".utf8))
    let events = try await api.restoreBackup(from: file).collect().value
    guard case .response(let response)? = events.last else {
      Issue.record("The last event is no response: \(events)")
      return
    }
    #expect(response.statusCode == 201)
    #expect(try await api.publish(file, title: "Tea").value.statusCode == 201)
    try stubs.verify()
  }
}
