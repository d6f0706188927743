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

@Suite("The header fields and the time limit of each request of an API", .leakFree)
struct APIHeadersTests {
  private static let origin = "https://api.example.com"

  private func stub(
    _ method: HTTPMethod = .get, _ url: String = origin + "/v1/orders", status: Int = 200,
    headers: HTTPHeaders = [:]
  ) -> StubAPIResponse {
    StubAPIResponse(
      request: .init(method, urlString: url), statusCode: status, headers: headers)
  }

  private func field(_ name: String, _ stubs: StubTransport) -> [String?] {
    stubs.requests.map { $0.value(forHTTPHeaderField: name) }
  }

  private struct Orders: Endpoint {
    typealias Response = RESTResponse
    let path: ResourcePath = "orders"
    var headers: HTTPHeaders = [:]
    var timeout: Duration?
  }

  @Test("Each verb and endpoint sends the API's fields")
  func all() async throws {
    let stubs = StubTransport(
      stub(), stub(.head), stub(.post), stub(.put), stub(.patch), stub(.delete), stub(), stub(),
      stub(.post))
    let api = TestAPI(transport: stubs, headers: ["X-Tenant": "acme", "Accept-Language": "de"])
    _ = try await api.get(endpoint: "orders").value
    _ = try await api.head(endpoint: "orders").value
    _ = try await api.post(endpoint: "orders").value
    _ = try await api.put(endpoint: "orders").value
    _ = try await api.patch(endpoint: "orders").value
    _ = try await api.delete(endpoint: "orders").value
    _ = try await api.send(Orders())
    _ = try await api.events(endpoint: "orders").allValues
    _ = try await api.upload(endpoint: "orders", body: .data(Data(), contentType: nil)).allValues
    #expect(stubs.requests.count == 9)
    #expect(Set(field("X-Tenant", stubs)) == ["acme"])
    #expect(Set(field("Accept-Language", stubs)) == ["de"])
  }

  @Test("A field of the call, of an endpoint or of a body replaces the API's, in any spelling")
  func replaced() async throws {
    let stubs = StubTransport(stub(), stub(), stub(.post), stub())
    let api = TestAPI(
      transport: stubs, headers: ["accept-language": "de", "Content-Type": "text/plain"])
    _ = try await api.get(endpoint: "orders", headers: ["Accept-Language": "en"]).value
    _ = try await api.send(Orders(headers: ["ACCEPT-LANGUAGE": "fr"]))
    _ = try await api.post(endpoint: "orders", body: .json([1])).value
    _ = try await api.get(endpoint: "orders") { request in
      request.settingHeader(
        "Accept-Language",
        to: (request.value(forHTTPHeaderField: "Accept-Language") ?? "none") + "!")
    }.value
    #expect(field("Accept-Language", stubs) == ["en", "fr", "de", "de!"])
    #expect(field("Content-Type", stubs)[2] == "application/json")
  }

  @Test("Each attempt and each redirect has the fields; secrets stay at the origin")
  func secrets() async throws {
    let elsewhere = "https://cdn.example.net/orders"
    let stubs = StubTransport(
      stub(status: 503), stub(status: 302, headers: ["Location": "/v2/orders"]),
      stub(.get, Self.origin + "/v2/orders", status: 302, headers: ["Location": elsewhere]),
      stub(.get, elsewhere))
    let api = TestAPI(
      transport: stubs, headers: ["X-Api-Key": "k", "X-Shop": "s", "X-Tenant": "acme"],
      secretHeaders: ["X-Shop"], retry: RetryPolicy(scheduler: .immediate))
    #expect(try await api.get(endpoint: "orders").value.statusCode == 200)
    #expect(field("X-Api-Key", stubs) == ["k", "k", "k", nil])
    #expect(field("X-Shop", stubs) == ["s", "s", "s", nil])
    #expect(field("X-Tenant", stubs) == ["acme", "acme", "acme", "acme"])
  }

  @Test(
    "SEC-08: a modifier that sends a call to another origin takes no secret of the API along",
    arguments: [false, true])
  func modified(isInTask: Bool) async throws {
    let elsewhere = try #require(URL(string: "https://cdn.example.net/orders"))
    let own = try #require(URL(string: "https://API.example.com:443/other"))
    let transport = AnsweringTransport()
    let api = TestAPI(
      transport: transport, headers: ["X-Api-Key": "k", "X-Shop": "s", "X-Tenant": "acme"],
      secretHeaders: ["X-Shop"])
    for (url, key) in [(elsewhere, nil), (own, nil), (elsewhere, "mine")] {
      let change: @Sendable (URLRequest) -> URLRequest = { request in
        var request = request
        request.url = url
        if let key { request.setValue(key, forHTTPHeaderField: "X-Api-Key") }
        return request
      }
      let call =
        isInTask
        ? api.get(endpoint: "orders").modifyRequest { request in change(request) }
        : api.get(endpoint: "orders", requestModifier: change)
      _ = try await call.value
    }
    let sent = ["X-Api-Key", "X-Shop", "X-Tenant"].map { name in
      transport.requests.map { $0.value(forHTTPHeaderField: name) }
    }
    #expect(sent == [[nil, "k", "mine"], [nil, "s", nil], ["acme", "acme", "acme"]])
  }

  @Test("The limit of an endpoint counts before that of the API, and a modifier's before both")
  func timeout() async throws {
    let stubs = StubTransport(stub(), stub(), stub(), stub())
    let api = TestAPI(transport: stubs, timeout: .seconds(20))
    _ = try await api.get(endpoint: "orders").value
    _ = try await api.send(Orders())
    _ = try await api.send(Orders(timeout: .milliseconds(95_500)))
    _ = try await api.publisher(for: Orders(timeout: .seconds(95))) { request in
      var request = request
      #expect(request.timeoutInterval == 95)
      request.timeoutInterval = 7
      return request
    }.value
    #expect(stubs.requests.map(\.timeoutInterval) == [20, 20, 95.5, 7])
    let plain = StubTransport(stub())
    _ = try await TestAPI(transport: plain).send(Orders())
    #expect(plain.requests.map(\.timeoutInterval) == [60])
  }

  private struct Poll: Endpoint {
    typealias Response = RESTResponse
    let path: ResourcePath = "orders"
    let timeout = Duration.seconds(95)
    let retry: RetryPolicy
  }

  @Test("An endpoint's own policy decides when its request is sent again")
  func retry() async throws {
    let never = StubTransport(stub(status: 503))
    var once = RetryPolicy(scheduler: .immediate)
    once.maxAttempts = 1
    let error = await #expect(throws: RESTError.self) {
      try await TestAPI(transport: never, retry: RetryPolicy(scheduler: .immediate))
        .publisher(for: Poll(retry: once)).validateStatus().value
    }
    #expect(error?.kind == .status(503))
    #expect(never.requests.count == 1)
    let again = StubTransport(stub(status: 503), stub())
    let poll = Poll(retry: RetryPolicy(scheduler: .immediate))
    #expect(try await TestAPI(transport: again).send(poll).statusCode == 200)
    #expect(again.requests.map(\.timeoutInterval) == [95, 95])
  }
}
