import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import StreamsTesting
import Testing

@Suite("The recipes of Docs/Recipes.md for transports, files and tests", .leakFree, .stubs)
struct TransportRecipesTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  private func inFolder(_ body: (URL) async throws -> Void) async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  @Test("Files are uploaded and downloaded with progress")
  func transfers() async throws {
    try await inFolder { folder in
      let stubs = StubTransport(
        StubAPIResponse(
          request: Recipes.request(.put, "backups/today").body(Data("old".utf8)),
          result: .json(#"{"bytes": 3}"#)),
        StubAPIResponse(request: Recipes.request(.put, "logs/today").body(Data("log".utf8))),
        StubAPIResponse(
          request: Recipes.request(.get, "photos/rex"), headers: ["Content-Length": "3"],
          result: .success(Data("dog".utf8))
        ).repeats(2),
        StubAPIResponse(
          request: Recipes.request(.post, "photos").multipartBody(
            StubPart(name: "title", value: "Old"),
            StubPart(name: "photo", contentType: "image/jpeg", data: Data("old".utf8)))),
        StubAPIResponse(request: Recipes.request(.post, "log").body(Data("a\nb\n".utf8))),
        StubAPIResponse(
          request: Recipes.request(.get, "catalog.tar"), result: .success(Data("new".utf8))))
      let recipes = Recipes(over: stubs)
      let archive = folder.appending(path: "archive")
      try Data("old".utf8).write(to: archive)
      let told = Lock<[Double]>([])
      let show: @Sendable (Double) -> Void = { part in told.withLock { $0.append(part) } }
      let backup = try await recipes.backUp(archive, as: "today", telling: show).value
      #expect(backup == Recipes.Backup(bytes: 3))
      #expect(told.withLock(\.last) == 1)
      #expect(try await recipes.backUp(Data("log".utf8), as: "today").value.isSuccess)
      let published = try await recipes.publish(archive, title: "Old").allValues
      #expect(published.last?.response?.isSuccess == true)
      let photo = folder.appending(path: "rex.jpg")
      told.withLock { $0 = [] }
      _ = try await recipes.fetch("rex", to: photo, telling: show).allValues
      #expect(told.withLock(\.last) == 1)
      told.withLock { $0 = [] }
      let url = try #require(URL(string: "https://shop.example.com/photos/rex"))
      #expect(try await recipes.picture(at: url, telling: show).value == Data("dog".utf8))
      #expect(told.withLock { $0 } == [0, 1])
      let lines = Publishers.Sequence(["a", "b"]).setFailureType(to: (any Error).self)
      _ = try await recipes.append(lines).allValues
      let catalog = folder.appending(path: "catalog.tar")
      _ = try await recipes.fetchCatalog(to: catalog).allValues
      #expect(try Data(contentsOf: catalog) == Data("new".utf8))
    }
  }

  @Test("A download that was cut continues where it stopped")
  func resumed() async throws {
    try await inFolder { folder in
      let server = try MockServer { request in
        let headers = [(name: "ETag", value: "\"1\"")]
        guard request.value(for: "Range") == "bytes=3-" else {
          return MockResponse(
            status: 200, headers: headers, body: Data("abcdef".utf8),
            delivery: .cut(afterBytes: 3))
        }
        return MockResponse(
          status: 206, headers: headers + [(name: "Content-Range", value: "bytes 3-5/6")],
          body: Data("def".utf8))
      }
      defer { server.stop() }
      let recipes = Recipes(shop: .init(baseURL: server.baseURL))
      let file = folder.appending(path: "catalog.tar")
      let error = await #expect(throws: RESTError.self) {
        try await recipes.fetchCatalog(to: file).allValues
      }
      #expect(error?.kind == .transport(.bodyCut))
      _ = try await recipes.fetchCatalog(to: file).allValues
      #expect(try Data(contentsOf: file) == Data("abcdef".utf8))
    }
  }

  @Test("A login's redirect is delivered as a response")
  func noRedirects() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, urlString: "https://id.example.com/start"), statusCode: 302,
        headers: ["Location": "https://elsewhere.example.com"]))
    let shop = Recipes(over: stubs).login(transport: stubs)
    let response = try await shop.get(endpoint: "start").value
    #expect(response.headers["Location"] == "https://elsewhere.example.com")
  }

  #if os(Linux)
    @Test("Transports are made with a proxy, pins and limits, and refuse a missing file")
    func transports() throws {
      let recipes = Recipes(over: .shared)
      _ = try recipes.pinned(to: ["YhKJKSzoTt2b5FP18fvpHo7fJYqQCjAa3HWY3tvRMwE="])
      _ = try recipes.throughProxy(#require(URL(string: "http://proxy.example.com:3128")))
      #expect(try recipes.forLargeResponses().limits.bodyBytes == 512 << 20)
      let fault = #expect(throws: TransportError.self) {
        try recipes.inside(authorities: folder.appending(path: "ca.pem"))
      }
      #expect(fault?.kind == .invalidOptions)
      let file = folder.appending(path: "client.pem")
      #expect(throws: TransportError.self) {
        try recipes.identified(certificate: file, key: file)
      }
    }
  #endif

  @Test("Calls are logged, recorded and replayed")
  func observed() async throws {
    try await inFolder { folder in
      let stubs = StubTransport(
        StubAPIResponse(request: Recipes.request(.get, "orders"), result: .json("[]")).repeats(3))
      let lines = Lock<[String]>([])
      let logged = Recipes(over: stubs).logged(stubs) { line in lines.withLock { $0.append(line) } }
      _ = try await Recipes(over: logged).printed().value
      #expect(lines.withLock { $0 }.first?.hasPrefix("GET /orders → 200 in") == true)
      #expect(try await Recipes(over: stubs).timeToFirstByte() == nil)
      let file = folder.appending(path: "orders.har")
      try await Recipes(over: stubs).record(to: file)
      let replay = try Recipes(over: stubs).replay(from: file)
      #expect(try await replay.get(endpoint: "orders").value.data == Data("[]".utf8))
    }
  }

  @Test("A script responds in order, and a server runs on this machine")
  func servers() async throws {
    let stubs = Recipes(over: .shared).sequence()
    let shop = Recipes(over: stubs).shop
    #expect(try await shop.get(endpoint: "orders").value.statusCode == 503)
    #expect(try await shop.get(endpoint: "orders").value.statusCode == 503)
    #expect(try await shop.get(endpoint: "orders").value.isSuccess)
    #expect(try await Recipes(over: .shared).tryLocally().map(\.id) == [7])
  }

  @MainActor
  @Test("A call ends with its screen and with the previous task")
  func screens() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: Recipes.request(.get, "orders"), result: .json("[]"))
        .thenRespondWith(
          request: Recipes.request(.get, "orders"), result: .json("[]"), delay: .seconds(1)
        )
        .thenRespondWith(request: Recipes.request(.get, "orders"), result: .json("[]")),
      scheduler: TestScheduler())
    let screen = Recipes.OrdersScreen(shop: Recipes(over: stubs).shop)
    screen.appear()
    await Task { @MainActor in }.value
    #expect(screen.text == "0 orders")
    screen.appear()
    screen.disappear()
    #expect(stubs.journal.last?.outcome == .cancelled)
    var task: Task<[Recipes.Order], any Error>?
    Recipes(over: stubs).load(in: &task)
    #expect(try await task?.value == [])
  }
}
