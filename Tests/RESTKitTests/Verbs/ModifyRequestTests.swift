import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A modifier may wait, or fail", .leakFree)
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

  @Test("It sees the bytes that will leave, the token, and what the first modifier did")
  func sees() async throws {
    let stubs = StubTransport(.post, Self.url)
    let call = TestAPI(transport: stubs)
      .post(endpoint: "orders", body: .json([1])) { $0.settingHeader("X-Shop", to: "7") }
      .modifyRequest { request in
        await Task.yield()
        let token = request.value(forHTTPHeaderField: "Authorization") ?? "none"
        let shop = request.value(forHTTPHeaderField: "X-Shop") ?? "none"
        let body = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
        return request.settingHeader("Signature", to: "\(body) for \(token) at \(shop)")
      }
    _ = try await session().authorize(call).value
    #expect(
      stubs.requests.first?.value(forHTTPHeaderField: "Signature") == "[1] for Bearer mine at 7")
  }

  @Test("It works on uploads, on exchanges in pieces and on endpoints")
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

  @Test("It runs for each attempt, and sees the same idempotency key")
  func eachAttempt() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.post, urlString: Self.url), statusCode: 503)
        .thenRespondWith(request: .init(.post, urlString: Self.url)))
    let keys = Lock<[String?]>([])
    let response = try await TestAPI(transport: stubs).post(endpoint: "orders", body: .json([1]))
      .modifyRequest { request in
        keys.withLock { $0.append(request.value(forHTTPHeaderField: "Idempotency-Key")) }
        return request
      }
      .retry(RetryPolicy(baseDelay: .zero, totalTime: nil, idempotencyKey: { "k1" }))
      .value
    #expect(response.statusCode == 200)
    let seen = keys.withLock { $0 }
    #expect(seen == ["k1", "k1"])
  }

  @Test("What it throws is the call's failure, and nothing was sent")
  func fails() async throws {
    let stubs = StubTransport(.get, Self.url)
    await #expect(throws: TestFailure(name: "no key")) {
      try await TestAPI(transport: stubs).get(endpoint: "orders")
        .modifyRequest { _ in throw TestFailure(name: "no key") }
        .value
    }
    #expect(stubs.requests.isEmpty)
  }

  @Test("Of several the one nearest to the verb runs first")
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

  @Test("A cancel ends it, and nothing is sent")
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

  @Test("It may not lead a session's token to another origin")
  func otherOrigin() async throws {
    let stubs = StubTransport(.get, "https://evil.example.com/")
    let call = TestAPI(transport: stubs).get(endpoint: "orders").modifyRequest { request in
      var request = request
      request.url = URL(string: "https://evil.example.com/")
      return request
    }
    let error = try await restError(of: session().authorize(call))
    #expect(error.kind == .invalidRequest)
    #expect(error.attempts == 0)
    #expect(error.remedy.contains("requestModifier"))
    #expect(stubs.requests.isEmpty)
    // Without a token it may go where it likes.
    #expect(try await call.value.statusCode == 200)
  }
}
