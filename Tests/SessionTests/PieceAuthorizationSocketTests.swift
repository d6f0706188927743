import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@Suite("A response in pieces whose token is refused, on real sockets", .timeLimit(.minutes(10)))
struct PieceAuthorizationSocketTests {
  private static let body = patternedBody(1 << 20)

  /// - Parameter refusal: The response to any token but the new one.
  private func server(
    refusing refusal: @escaping @Sendable () -> MockResponse
  ) throws -> MockServer {
    try MockServer { request in
      guard request.path != "/auth/refresh" else { return .json(#"{"accessToken": "fresh"}"#) }
      return request.value(for: "Authorization") == "Bearer fresh"
        ? MockResponse(status: 200, body: Self.body) : refusal()
    }
  }

  private func events(
    of server: MockServer, over transport: any Transport, body: RequestBody? = nil
  ) throws -> AnyPublisher<TransferEvent, any Error> {
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: server.baseURL, transport: transport))
    try session.signIn(Credential(accessToken: "old", refreshToken: "once"))
    return session.authorize(
      TestAPI(baseURL: server.baseURL, transport: transport, timeout: .seconds(3_600))
        .events(body == nil ? .get : .put, endpoint: "a", body: body))
  }

  @Test(
    "TR-09 The refused response is read to its end, so one connection serves all requests",
    arguments: TransportKind.allCases)
  func connection(kind: TransportKind) async throws {
    let server = try server {
      // Longer than what comes with its head.
      MockResponse(status: 401, body: Self.body.prefix(500_000))
    }
    defer { server.stop() }
    let received = try await events(of: server, over: kind.make()).received()
    #expect(received.failure == nil)
    #expect(received.heads.map(\.statusCode) == [200])
    #expect(received.data == Self.body)
    #expect(server.requests.map(\.path) == ["/a", "/auth/refresh", "/a"])
    #expect(server.connectionCount == 1)
  }

  @Test("TR-09 A file is sent again, whole", arguments: TransportKind.allCases)
  func file(kind: TransportKind) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("body", Self.body)
    let server = try server { MockResponse(status: 401, body: Data("not you".utf8)) }
    defer { server.stop() }
    let received = try await events(of: server, over: kind.make(), body: .file(file)).received()
    #expect(received.heads.map(\.statusCode) == [200])
    #expect(received.data == Self.body)
    #expect(server.requests.map(\.body) == [Self.body, server.requests[1].body, Self.body])
  }

  @Test(
    "A cancel during the refused response closes its connection",
    arguments: TransportKind.allCases)
  func cancel(kind: TransportKind) async throws {
    let gate = MockGate()
    let server = try server {
      MockResponse(
        status: 401, body: Data("not you".utf8), delivery: .paused(afterBytes: 3, until: gate))
    }
    defer { server.stop() }
    var call: AnyCancellable? = try events(of: server, over: kind.make())
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    _ = try await server.received(1)
    #expect(call != nil)
    call = nil
    #expect(try await server.connectionClosed(0) == .client)
    gate.open()
    #expect(server.requests.count == 1)
  }

  @Test("A refused response larger than an error may be causes a refresh, as any other")
  func limit() async throws {
    let server = try server { MockResponse(status: 401, body: Self.body) }
    defer { server.stop() }
    var limits = TransportLimits()
    limits.errorBodyBytes = 1_000
    let transport = URLSessionTransport(limits: limits)
    let received = try await events(of: server, over: transport).received()
    #expect(received.failure == nil)
    #expect(received.heads.map(\.statusCode) == [200])
    #expect(server.requests.map(\.path) == ["/a", "/auth/refresh", "/a"])
  }
}
