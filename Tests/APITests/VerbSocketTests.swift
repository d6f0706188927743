import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Verbs on real sockets", .timeLimit(.minutes(10)))
struct VerbSocketTests {
  @Test(
    "Each verb sends method, target, headers and body, and delivers the response",
    arguments: TransportKind.allCases, VerbKind.allCases)
  func exchange(kind: TransportKind, verb: VerbKind) async throws {
    let server = try MockServer { _ in
      MockResponse(
        status: 203, headers: [("X-A", "1"), ("X-A", "2")], body: Data("answer".utf8))
    }
    defer { server.stop() }
    let body = verb.takesBody ? Data("body\u{0}é".utf8) : nil
    let api = TestAPI(baseURL: server.baseURL + "/v1/", transport: try kind.make())
    let response = try await verb.send(
      api, endpoint: "/users/a%20b",
      query: [URLQueryItem(name: "q", value: "1+1")], body: body
    ) { $0.adding("X-Trace", "abc").sendingJSON() }.value

    let request = try #require(server.requests.first)
    #expect(server.requests.count == 1)
    #expect(request.method == verb.method.rawValue)
    #expect(request.target == "/v1/users/a%20b?q=1%2B1")
    #expect(request.values(for: "X-Trace") == ["abc"])
    #expect(request.values(for: "Content-Type") == ["application/json"])
    #expect(request.body == body ?? Data())
    #expect(response.statusCode == 203)
    #expect(response.data == (verb == .head ? Data() : Data("answer".utf8)))
    #expect(response.headers["x-a"] == "1, 2")
    #expect(response.head.httpVersion == "HTTP/1.1" || response.head.httpVersion.isEmpty)
    #expect(response.request.location == server.baseURL + "/v1/users/a%20b")
  }

  @Test("Any status is a value, challenges included", arguments: TransportKind.allCases)
  func statuses(kind: TransportKind) async throws {
    let server = try MockServer { request in
      MockResponse(
        status: Int(request.path.dropFirst()) ?? 0,
        headers: [("WWW-Authenticate", "Basic realm=\"x\"")])
    }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    for status in [200, 201, 204, 304, 400, 401, 403, 404, 407, 418, 500, 503, 599] {
      let response = try await api.get(endpoint: "\(status)").value
      #expect(response.statusCode == status)
    }
    #expect(server.requests.count == 13)
  }

  @Test("The modifier runs again on each sent request", arguments: TransportKind.allCases)
  func modifier(kind: TransportKind) async throws {
    let server = try MockServer { .text($0.value(for: "X-Run") ?? "none") }
    defer { server.stop() }
    let runs = Counter()
    let publisher = TestAPI(baseURL: server.baseURL, transport: try kind.make())
      .get(endpoint: "") { request in
        runs.add()
        return request.adding("X-Run", "\(runs.value)")
      }
    for run in 1...3 {
      #expect(try await publisher.value.data == Data("\(run)".utf8))
    }
  }

  @Test("A call whose API is released completes", arguments: TransportKind.allCases)
  func apiIsDropped(kind: TransportKind) async throws {
    let status = try await statusWhenDropped { url in
      TestAPI(baseURL: url, transport: try kind.make(), timeout: .seconds(3_600))
        .get(endpoint: "a")
    }
    #expect(status == 200)
  }

  @Test("A call whose transport is released completes", arguments: TransportKind.allCases)
  func transportIsDropped(kind: TransportKind) async throws {
    let status = try await statusWhenDropped { url in
      try kind.make().response(
        for: URLRequest(url: #require(URL(string: url)), timeoutInterval: 3_600))
    }
    #expect(status == 200)
  }

  /// Subscribes to a call, releases all but the subscription, and lets the server answer then.
  private func statusWhenDropped(
    _ call: (String) throws -> AnyPublisher<RESTResponse, any Error>
  ) async throws -> Int? {
    let gate = MockGate()
    let server = try MockServer { _ in .text("ok", gate: gate) }
    defer { server.stop() }
    let (results, continuation) = AsyncStream<Result<Int, any Error>>.makeStream()
    let subscription = try call(server.baseURL).map(\.statusCode)
      .sink { result in continuation.yield(result) }
    let opener = Task {
      try await server.received(1)
      gate.open()
    }
    defer { opener.cancel() }
    let result = await results.first { _ in true }
    withExtendedLifetime(subscription) {}
    return try result?.get()
  }

  @Test("A connection that fails is a RESTError with its cause", arguments: TransportKind.allCases)
  func nobodyThere(kind: TransportKind) async throws {
    let server = try MockServer { _ in .text("never") }
    server.stop()
    let error = try await restError(
      of: TestAPI(baseURL: server.baseURL, transport: try kind.make()).get(endpoint: "me"))
    #expect(error.kind == .transport(.connectionRefused))
    #expect(error.request?.description == "GET \(server.baseURL)/me")
    #expect((error.underlyingError as? TransportError)?.mayHaveBeenProcessed == false)
    #expect(error.description.hasPrefix("GET \(server.baseURL)/me: "))
    #expect(error.response == nil)
  }

  @Test("The request's timeout ends the call", arguments: TransportKind.allCases)
  func timeout(kind: TransportKind) async throws {
    let server = try MockServer { _ in MockResponse(status: 200, delivery: .hang) }
    defer { server.stop() }
    let error = try await restError(
      of: TestAPI(baseURL: server.baseURL, transport: try kind.make()).get(endpoint: "me") {
        var request = $0
        request.timeoutInterval = 0.05
        return request
      })
    #expect(error.kind == .transport(.timedOut))
    #expect(try await server.connectionClosed(0) == .client)
  }

  @Test("A released subscription closes the connection", arguments: TransportKind.allCases)
  func cancel(kind: TransportKind) async throws {
    let server = try MockServer { _ in MockResponse(status: 200, delivery: .hang) }
    defer { server.stop() }
    // Kept, since its release would close the connection, too.
    let transport = try kind.make()
    defer { withExtendedLifetime(transport) {} }
    let signals = Counter()
    var subscription: AnyCancellable? = TestAPI(
      baseURL: server.baseURL, transport: transport, timeout: .seconds(3_600)
    ).get(endpoint: "me").sink(
      receiveCompletion: { _ in signals.add() }, receiveValue: { _ in signals.add() })
    try await server.received(1)
    #expect(subscription != nil)
    subscription = nil
    #expect(try await server.connectionClosed(0) == .client)
    #expect(signals.value == 0)
  }
}
