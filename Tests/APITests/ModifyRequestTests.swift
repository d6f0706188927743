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

@Suite("An asynchronous request modifier", .leakFree)
struct ModifyRequestTests {
  private static let url = "https://api.example.com/v1/orders"

  private struct Place: Endpoint {
    typealias Response = Void
    var path: ResourcePath { "orders" }
    var method: HTTPMethod { .post }
    var body: RequestBody? { .json([1]) }
  }

  private func session() throws -> TokenSession {
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: Self.url, transport: StubTransport()))
    try session.signIn(Credential(accessToken: "mine", refreshToken: "once"))
    return session
  }

  @Test(
    "The modifier sees the final bytes and the first modifier's changes; the token is added later")
  func sees() async throws {
    let stubs = StubTransport(.post, Self.url)
    let call = TestAPI(transport: stubs)
      .post(endpoint: "orders", body: .json([1])) { $0.settingHeader("X-Shop", to: "7") }
      .modifyRequest { request in
        await Task.yield()
        #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
        let shop = request.value(forHTTPHeaderField: "X-Shop") ?? "none"
        let body = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
        return request.settingHeader("Signature", to: "\(body) at \(shop)")
      }
    _ = try await session().authorize(call).value
    let sent = try #require(stubs.requests.first)
    #expect(sent.value(forHTTPHeaderField: "Signature") == "[1] at 7")
    #expect(sent.value(forHTTPHeaderField: "Authorization") == "Bearer mine")
  }

  @Test("The modifier works on uploads, on exchanges in pieces and on endpoints")
  func everywhere() async throws {
    let answer = StubAPIResponse(request: .init(.post, urlString: Self.url))
    let stubs = StubTransport(answer, answer, answer)
    let api = TestAPI(transport: stubs)
    let sign: @Sendable (URLRequest) async throws -> URLRequest = { request in
      request.settingHeader("Length", to: "\(request.httpBody?.count ?? 0)")
    }
    _ = try await api.upload(endpoint: "orders", body: .json([1])).modifyRequest(sign)
      .collect().value
    _ = try await api.events(.post, endpoint: "orders", body: .json([1, 2])).modifyRequest(sign)
      .collect().value
    try await api.publisher(for: Place()).modifyRequest(sign).value
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Length") } == ["3", "5", "3"])
  }

  @Test("The modifier runs for each attempt, and the first attempt's key is kept")
  func eachAttempt() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.post, urlString: Self.url), statusCode: 503)
        .thenRespondWith(request: .init(.post, urlString: Self.url)))
    let runs = Counter()
    let response = try await TestAPI(transport: stubs).post(endpoint: "orders", body: .json([1]))
      .modifyRequest { request in
        runs.add()
        return request.settingHeader("Idempotency-Key", to: "k\(runs.value)")
      }
      .retry(RetryPolicy(baseDelay: .zero, totalTime: nil))
      .value
    #expect(response.statusCode == 200)
    #expect(runs.value == 2)
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Idempotency-Key") } == ["k1", "k1"])
  }

  @Test("TR-27 A sign-out while the modifier waits prevents the request")
  func signedOut() async throws {
    let stubs = StubTransport(.get, Self.url)
    let session = try session()
    let call = TestAPI(transport: stubs).get(endpoint: "orders").modifyRequest { request in
      try session.signOut()
      return request
    }
    await #expect(throws: TokenSessionError.self) {
      try await session.authorize(call).value
    }
    #expect(stubs.requests.isEmpty)
  }

  @Test("Cached responses are stored under the authorization that the modifier sets")
  func cached() async throws {
    let url = Self.url
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: url), headers: ["ETag": "\"1\""],
        result: .success(Data("of A".utf8))
      )
      .thenRespondWith(
        request: .init(.get, urlString: url), result: .success(Data("of B".utf8))))
    let cache = HTTPCache()
    func answer(_ token: String) async throws -> Data {
      try await TestAPI(transport: stubs).get(endpoint: "orders")
        .modifyRequest { $0.settingHeader("Authorization", to: token) }
        .cached(in: cache, use: .revalidated).value.data
    }
    #expect(try await answer("A") == Data("of A".utf8))
    #expect(try await answer("B") == Data("of B".utf8))
    #expect(stubs.requests.map { $0.value(forHTTPHeaderField: "If-None-Match") } == [nil, nil])
  }

  @Test("An error that the modifier throws is the call's failure, and nothing is sent")
  func fails() async throws {
    let stubs = StubTransport(.get, Self.url)
    await #expect(throws: TestFailure(name: "no key")) {
      try await TestAPI(transport: stubs).get(endpoint: "orders")
        .modifyRequest { _ in throw TestFailure(name: "no key") }
        .value
    }
    #expect(stubs.requests.isEmpty)
  }

  @Test("Of several modifiers the one nearest to the verb runs first")
  func order() async throws {
    let stubs = StubTransport(.get, Self.url)
    _ = try await TestAPI(transport: stubs).get(endpoint: "orders")
      .modifyRequest { $0.settingHeader("Names", to: "first") }
      .modifyRequest { request in
        request.settingHeader(
          "Names", to: "\(request.value(forHTTPHeaderField: "Names") ?? ""), second")
      }
      .value
    #expect(stubs.requests.first?.value(forHTTPHeaderField: "Names") == "first, second")
  }

  @Test("A cancel ends the modifier, and nothing is sent")
  func cancel() async throws {
    let stubs = StubTransport(.get, Self.url)
    let (began, begin) = AsyncStream<Void>.makeStream()
    let (ended, end) = AsyncStream<Bool>.makeStream()
    let call = TestAPI(transport: stubs).get(endpoint: "orders")
      .modifyRequest { request in
        begin.finish()
        let never = AsyncStream<Void>.makeStream()
        for await _ in never.stream {}
        end.yield(Task.isCancelled)
        end.finish()
        return request
      }
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    for await _ in began {}
    call.cancel()
    for await isCancelled in ended { #expect(isCancelled) }
    #expect(stubs.requests.isEmpty)
  }

  @Test("TR-32 A modifier that redirects a request to another origin sends no token")
  func otherOrigin() async throws {
    let stubs = StubTransport(.get, "https://other.example.com/")
    let call = TestAPI(transport: stubs).get(endpoint: "orders").modifyRequest { request in
      var request = request
      request.url = URL(string: "https://other.example.com/")
      return request
    }
    #expect(try await session().authorize(call).value.statusCode == 200)
    #expect(stubs.requests.map { $0.value(forHTTPHeaderField: "Authorization") } == [nil])
  }
}
