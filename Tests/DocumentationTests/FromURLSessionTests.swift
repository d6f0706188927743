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

@Suite("The examples of Docs/FromURLSession.md run", .stubs, .leakFree)
struct FromURLSessionTests {
  private static let shop = "https://shop.example.com/v1"

  private func api(_ stubs: StubTransport) -> FromURLSession.ShopAPI {
    FromURLSession.ShopAPI(baseURL: Self.shop, transport: stubs)
  }

  private func request(_ method: HTTPMethod, _ path: String) -> StubRequest {
    StubRequest(method, urlString: "\(Self.shop)/\(path)")
  }

  @Test("A call delivers bytes and a status, or a custom URLError")
  func data() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: request(.get, "orders/7"), result: .json("[]"))
        .thenRespondWith(request: request(.get, "orders/7"), statusCode: 404))
    let (data, status) = try await FromURLSession.data(of: api(stubs))
    #expect(data == Data("[]".utf8) && status == 200)
    await #expect(throws: URLError.self) { try await FromURLSession.data(of: api(stubs)) }
  }

  @Test("A publisher delivers on the main actor")
  func publisher() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: request(.get, "orders/7"), result: .json(#"{"id": 7}"#)))
    #expect(try await FromURLSession.order(of: api(stubs)).value.id == 7)
  }

  @Test("A POST has its headers and its timeout")
  func post() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: request(.post, "orders").header("Content-Type", "application/json")
          .header("Accept-Language", "de").jsonBody(#"{"id": 7}"#)
          .matching("has ten seconds") { $0.timeoutInterval == 10 },
        statusCode: 201))
    #expect(try await FromURLSession.post(.init(id: 7), to: api(stubs)) == 201)
  }

  @Test("A file is uploaded, and lines arrive as they are sent")
  func transfers() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(repeating: 7, count: 1_000).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let server = try MockServer { request in
      request.method == "PUT"
        ? MockResponse(status: 204)
        : MockResponse(status: 200, body: Data("tea 3\ncoffee 4\n".utf8))
    }
    defer { server.stop() }
    let api = FromURLSession.ShopAPI(baseURL: server.baseURL)
    #expect(try await FromURLSession.upload(file, to: api).statusCode == 204)
    #expect(server.requests.first?.body.count == 1_000)
    var lines: [String] = []
    try await FromURLSession.lines(of: api) { lines.append($0) }
    #expect(lines == ["tea 3", "coffee 4"])
    let told = Lock<[Double]>([])
    let url = try #require(URL(string: "\(server.baseURL)/picture"))
    let picture = try await FromURLSession.picture(at: url, of: api) { part in
      told.withLock { $0.append(part) }
    }
    #expect(picture == Data("tea 3\ncoffee 4\n".utf8))
    #expect(told.withLock { $0 }.first == 0 && told.withLock { $0 }.last == 1)
  }

  @Test("An unchanged catalog is not sent again")
  func cache() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: request(.get, "catalog"), headers: ["ETag": #""v1""#],
        result: .json(#"[{"id": 7}]"#)
      )
      .thenRespondWith(
        request: request(.get, "catalog").header("If-None-Match", #""v1""#), statusCode: 304))
    let cache = HTTPCache()
    for _ in 1...2 {
      let orders = try await FromURLSession.catalog(of: api(stubs), cache: cache).value
      #expect(orders == [.init(id: 7)])
    }
  }

  @Test("A report has its own timeout")
  func time() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: request(.get, "report").matching("has 2.5 s") { $0.timeoutInterval == 2.5 }))
    #expect(try await FromURLSession.report(of: api(stubs)).value.isSuccess)
  }

  @Test("A redirect to another origin is refused")
  func redirects() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: request(.get, "orders"), statusCode: 302,
        headers: ["Location": "https://elsewhere.example.com/"]))
    let api = FromURLSession.StrictAPI(baseURL: Self.shop, transport: stubs)
    let error = await #expect(throws: RESTError.self) {
      try await api.get(endpoint: "orders").value
    }
    #expect(error?.kind == .redirect)
  }

  @Test("Cookies are stored and sent to their hosts, also after a redirect")
  func cookies() async throws {
    let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
    let stubs = StubTransport(
      StubAPIResponse(
        request: request(.post, "login").withoutHeader("Cookie"), statusCode: 303,
        headers: [
          "Set-Cookie": "id=7; Path=/v1; Expires=Wed, 21 Oct 2099 07:28:00 GMT",
          "Location": "/v1/me",
        ]
      )
      .thenRespondWith(
        request: request(.get, "me").header("Cookie", "id=7"), statusCode: 302,
        headers: ["Location": "https://other.example.com/"]
      )
      .thenRespondWith(
        request: StubRequest(.get, urlString: "https://other.example.com/").withoutHeader("Cookie"),
        headers: ["Set-Cookie": "spy=1; Domain=example.com"]
      )
      .thenRespondWith(request: request(.get, "me").header("Cookie", "id=7"))
      .thenRespondWith(
        request: StubRequest(.get, urlString: "https://cdn.example.com/logo")
          .withoutHeader("Cookie")))
    let transport = FromURLSession.CookieTransport(
      transport: stubs, storage: storage, host: "shop.example.com")
    let api = FromURLSession.ShopAPI(baseURL: Self.shop, transport: transport)
    _ = try await api.post(endpoint: "login").validateStatus().value
    _ = try await api.get(endpoint: "me").validateStatus().value
    let cdn = FromURLSession.ShopAPI(baseURL: "https://cdn.example.com", transport: transport)
    _ = try await cdn.get(endpoint: "logo").validateStatus().value
  }
}
