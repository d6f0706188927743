import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Synchronization
import Testing

@Suite("401, refresh and retry on real sockets", .timeLimit(.minutes(10)))
struct RetryOnceOnUnauthorizedSocketTests {
  private func server(
    refreshStatus: Int = 200, accepted: String = "Bearer new", gate: MockGate? = nil
  ) throws -> MockServer {
    try MockServer { request in
      switch (request.method, request.value(for: "Authorization")) {
      case ("POST", _): .json("{}", status: refreshStatus, gate: gate)
      case (_, accepted): .text("ok")
      default:
        MockResponse(
          status: 401, headers: [("WWW-Authenticate", "Bearer error=\"invalid_token\"")],
          body: Data("no".utf8))
      }
    }
  }

  /// Gets `me` with the token of the moment; the chained request replaces it.
  private func call(
    _ api: TestAPI, _ store: MemoryTokenStore
  ) -> AnyPublisher<RESTResponse, any Error> {
    api.get(endpoint: "me") {
      $0.addingBearerAuthorization(token: store.read()?.accessToken ?? "")
    }
    .retryOnceOnUnauthorizedResponse(
      chainedRequest: api.post(endpoint: "refresh", body: nil).validateStatus()
        .handleEvents(receiveOutput: { _ in store.write(Credential(accessToken: "new")) }))
  }

  @Test("The retry carries the new token", arguments: TransportKind.allCases)
  func retries(kind: TransportKind) async throws {
    let server = try server()
    defer { server.stop() }
    let store = MemoryTokenStore(Credential(accessToken: "old"))
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    #expect(try await call(api, store).value.data == Data("ok".utf8))
    #expect(
      server.requests.map { "\($0.method) \($0.path)" } == ["GET /me", "POST /refresh", "GET /me"])
  }

  @Test("A second 401 is final and keeps its body", arguments: TransportKind.allCases)
  func secondIsFinal(kind: TransportKind) async throws {
    let server = try server(accepted: "nothing")
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    let error = try await restError(of: call(api, MemoryTokenStore()))
    #expect(error.isUnauthorized)
    #expect(error.body == Data("no".utf8))
    #expect(server.requests.count == 3)
  }

  @Test("A refresh that fails ends the call", arguments: TransportKind.allCases, [400, 401, 500])
  func refreshFails(kind: TransportKind, status: Int) async throws {
    let server = try server(refreshStatus: status)
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    let error = try await restError(of: call(api, MemoryTokenStore()))
    #expect(error.kind == .status(status))
    #expect(error.request?.method == .post)
    #expect(server.requests.count == 2)
  }

  @Test(
    "A cancel while the refresh runs closes its connection, and no retry is sent",
    arguments: TransportKind.allCases)
  func cancelDuringRefresh(kind: TransportKind) async throws {
    let gate = MockGate()
    let server = try server(gate: gate)
    defer { server.stop() }
    let api = TestAPI(
      baseURL: server.baseURL, transport: try kind.make(), timeout: .seconds(3_600))
    let store = MemoryTokenStore(Credential(accessToken: "old"))
    let signals = Counter()
    var subscription: AnyCancellable? = call(api, store).sink { _ in signals.add() }
    let connection = try await server.received(2)[1].connectionID
    #expect(subscription != nil)
    subscription = nil
    #expect(try await server.connectionClosed(connection) == .client)
    gate.open()
    #expect(server.requests.count == 2)
    #expect(signals.value == 0)
    #expect(store.read()?.accessToken == "old")
  }
}
