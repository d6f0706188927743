import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@Suite("SEC-08: redirects on real sockets", .timeLimit(.minutes(10)))
struct RedirectSocketTests {
  private func redirect(_ status: Int, to location: String) -> MockResponse {
    MockResponse(status: status, headers: [("Location", location)], body: Data("moved".utf8))
  }

  @Test(
    "A redirect to another server carries no secret", arguments: TransportKind.allCases,
    [301, 302, 303, 307, 308])
  func twoServers(kind: TransportKind, status: Int) async throws {
    let second = try MockServer { .text("\($0.method) \($0.path)") }
    defer { second.stop() }
    let location = second.baseURL + "/there"
    let first = try MockServer { _ in redirect(status, to: location) }
    defer { first.stop() }
    let response = try await TestAPI(baseURL: first.baseURL, transport: try kind.make())
      .post(endpoint: "here", body: .data(Data("body".utf8))) {
        $0.addingBearerAuthorization(token: "t").adding("Cookie", "c")
          .adding("Proxy-Authorization", "p").adding("X-Own", "1").sendingJSON()
      }.value
    let keeps = status >= 307
    #expect(response.data == Data("\(keeps ? "POST" : "GET") /there".utf8))
    #expect(response.url.absoluteString == location)
    #expect(first.requests.first?.value(for: "Authorization") == "Bearer t")
    #expect(first.requests.first?.value(for: "Cookie") == "c")
    let request = try #require(second.requests.first)
    for name in ["Authorization", "Cookie", "Proxy-Authorization"] {
      #expect(request.value(for: name) == nil)
    }
    #expect(request.value(for: "X-Own") == "1")
    #expect(request.body == (keeps ? Data("body".utf8) : Data()))
    #expect(request.value(for: "Content-Type") == (keeps ? "application/json" : nil))
    #expect(
      request.value(for: "Host") == second.baseURL.replacingOccurrences(of: "http://", with: ""))
  }

  @Test(
    "A redirect on one server keeps secrets and resolves relative places",
    arguments: TransportKind.allCases)
  func oneServer(kind: TransportKind) async throws {
    let server = try MockServer { request in
      request.path == "/v1/a" ? redirect(302, to: "b?x=1") : .text(request.target)
    }
    defer { server.stop() }
    let response = try await TestAPI(
      baseURL: server.baseURL + "/v1", transport: try kind.make()
    ).get(endpoint: "a") { $0.addingBearerAuthorization(token: "t") }.value
    #expect(response.data == Data("/v1/b?x=1".utf8))
    #expect(server.requests.map { $0.value(for: "Authorization") } == ["Bearer t", "Bearer t"])
  }

  @Test("A loop ends after ten redirects", arguments: TransportKind.allCases)
  func loop(kind: TransportKind) async throws {
    let server = try MockServer { _ in redirect(302, to: "/again") }
    defer { server.stop() }
    let error = try await restError(
      of: TestAPI(baseURL: server.baseURL, transport: try kind.make()).get(endpoint: "a"))
    #expect(error.kind == .redirect)
    #expect(server.requests.count == 11)
  }

  @Test(
    "A target that is not http is refused, and no file is read", arguments: TransportKind.allCases)
  func file(kind: TransportKind) async throws {
    for location in ["file:///etc/hostname", "javascript:alert(1)", "gopher://h/"] {
      let server = try MockServer { _ in redirect(302, to: location) }
      defer { server.stop() }
      let error = try await restError(
        of: TestAPI(baseURL: server.baseURL, transport: try kind.make()).get(endpoint: "a"))
      #expect(error.kind == .redirect)
      #expect(server.requests.count == 1)
    }
  }

  @Test("A redirect without a Location is delivered", arguments: TransportKind.allCases)
  func noLocation(kind: TransportKind) async throws {
    let server = try MockServer { _ in MockResponse(status: 302, body: Data("moved".utf8)) }
    defer { server.stop() }
    let response = try await TestAPI(baseURL: server.baseURL, transport: try kind.make())
      .get(endpoint: "a").value
    #expect(response.statusCode == 302)
    // Foundation on Linux keeps the body of a 3xx to itself.
    #expect(response.data == Data("moved".utf8) || kind == .urlSession)
  }

  @Test("User info in a Location is refused before it is sent", arguments: TransportKind.allCases)
  func userInfo(kind: TransportKind) async throws {
    let second = try MockServer { _ in .text("never") }
    defer { second.stop() }
    let location = "http://canary:canary@127.0.0.1:\(second.port)/x"
    let first = try MockServer { _ in redirect(302, to: location) }
    defer { first.stop() }
    let error = try await restError(
      of: TestAPI(baseURL: first.baseURL, transport: try kind.make()).get(endpoint: "a"))
    #expect(error.kind == .redirect)
    for text in allTexts(of: error) { #expect(!text.contains("canary")) }
    #expect(second.connectionCount == 0)
  }

  @Test(
    "A cancel at the second hop closes that hop's connection", arguments: TransportKind.allCases)
  func cancel(kind: TransportKind) async throws {
    let second = try MockServer { _ in MockResponse(status: 200, delivery: .hang) }
    defer { second.stop() }
    let location = second.baseURL
    let first = try MockServer { _ in redirect(302, to: location) }
    defer { first.stop() }
    // Kept, since its release would close the connection, too.
    let transport = try kind.make()
    defer { withExtendedLifetime(transport) {} }
    let signals = Counter()
    var subscription: AnyCancellable? = TestAPI(
      baseURL: first.baseURL, transport: transport
    ).get(endpoint: "a").sink { _ in signals.add() }
    try await second.received(1)
    #expect(subscription != nil)
    subscription = nil
    #expect(try await second.connectionClosed(0) == .client)
    #expect(signals.value == 0)
  }
}
