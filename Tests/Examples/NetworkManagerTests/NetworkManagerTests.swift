import Foundation
import NetworkManager
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A type-erased network manager")
struct NetworkManagerTests {
  private struct Item: Codable, Sendable, Equatable {
    var id: Int
  }

  private final class ServerResponse: Sendable {
    private let results = Lock<[Result<Item?, any Error>]>([])

    var all: [Result<Item?, any Error>] { results.withLock { $0 } }

    func callAsFunction(_ result: Result<Item?, any Error>) {
      results.withLock { $0.append(result) }
    }
  }

  private let queue = TestScheduler()
  private let answer = ServerResponse()

  private func manager(_ stubs: StubTransport) -> AnyNetworkManager {
    AnyNetworkManager(
      NetworkManager(
        baseURL: "https://example.com/api", transport: stubs, callingBackOn: queue))
  }

  private func stub(
    _ method: HTTPMethod, _ path: String, status: Int = 200, body: String = #"{"id": 7}"#
  ) -> StubTransport {
    StubTransport(
      StubAPIResponse(
        request: .init(method, urlString: "https://example.com/api/\(path)"), statusCode: status,
        result: .json(body)))
  }

  private func expectItem(sourceLocation: SourceLocation = #_sourceLocation) throws {
    queue.run()
    #expect(answer.all.count == 1, sourceLocation: sourceLocation)
    let item = try #require(answer.all.first, sourceLocation: sourceLocation).get()
    #expect(item == Item(id: 7), sourceLocation: sourceLocation)
  }

  @Test("GET sends the headers and the token")
  func get() throws {
    let stubs = stub(.get, "items/7")
    let manager = manager(stubs)
    defer { manager.cancel() }
    manager.get(
      "items/\(7)", headers: ["X-Trace": "1"], token: "s3cret",
      completion: {
        answer($0)
      })
    #expect(answer.all.isEmpty)
    try expectItem()
    let sent = stubs.requests.first
    #expect(sent?.value(forHTTPHeaderField: "X-Trace") == "1")
    #expect(sent?.value(forHTTPHeaderField: "Authorization") == "Bearer s3cret")
    #expect(sent?.httpBody == nil)
  }

  @Test("POST, PUT and PATCH send the data as JSON", arguments: [HTTPMethod.post, .put, .patch])
  func bodies(method: HTTPMethod) throws {
    let stubs = stub(method, "items")
    let data = Data(#"{"id": 7}"#.utf8)
    let manager = manager(stubs)
    switch method {
    case .post: manager.post("items", data: data) { answer($0) }
    case .put: manager.put("items", data: data) { answer($0) }
    default: manager.patch("items", data: data) { answer($0) }
    }
    try expectItem()
    let sent = stubs.requests.first
    #expect(sent?.httpMethod == method.rawValue)
    #expect(sent?.httpBody == data)
    #expect(sent?.value(forHTTPHeaderField: "Content-Type") == "application/json")
    #expect(sent?.value(forHTTPHeaderField: "Authorization") == nil)
  }

  @Test("A 204 for DELETE has no model and is not parsed")
  func delete() throws {
    let manager = manager(stub(.delete, "items/7", status: 204, body: ""))
    defer { manager.cancel() }
    manager.delete("items/7") { answer($0) }
    queue.run()
    #expect(try #require(answer.all.first).get() == nil)
  }

  @Test("A status other than success is an error")
  func failure() {
    let manager = manager(stub(.get, "items", status: 422, body: "{}"))
    defer { manager.cancel() }
    manager.get("items") {
      answer($0)
    }
    queue.run()
    let error = #expect(throws: RESTError.self) { try #require(answer.all.first).get() }
    #expect(error?.kind == .status(422))
  }

  @Test("A cancelled request does not call back")
  func cancel() {
    let manager = manager(stub(.get, "items"))
    manager.get("items") { answer($0) }
    manager.cancel()
    queue.run()
    #expect(answer.all.isEmpty)
  }

  @Test("A new request cancels the previous one")
  func replaced() throws {
    let url = "https://example.com/api/items"
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.get, urlString: url), result: .json(#"{"id": 1}"#))
        .thenRespondWith(request: .init(.get, urlString: url), result: .json(#"{"id": 7}"#)))
    let manager = manager(stubs)
    manager.get("items") { answer($0) }
    manager.get("items") { answer($0) }
    try expectItem()
  }

  @Test("The manager works over a socket")
  func socket() async throws {
    let server = try MockServer { _ in .json(#"{"id": 7}"#) }
    defer { server.stop() }
    let manager = NetworkManager(
      baseURL: server.baseURL, callingBackOn: DispatchQueue(label: "items"))
    let item = try await withCheckedThrowingContinuation { continuation in
      manager.get("items/7", as: Item.self) { continuation.resume(with: $0) }
    }
    #expect(item == Item(id: 7))
  }

  @Test(
    "Over a socket, a 204 has no model, and a cancel closes the connection",
    .timeLimit(.minutes(10)))
  func socketCancel() async throws {
    let gate = MockGate()
    let server = try MockServer { request in
      request.method == "DELETE" ? MockResponse(status: 204) : .json("{}", gate: gate)
    }
    defer { server.stop() }
    let manager = NetworkManager(
      baseURL: server.baseURL, callingBackOn: DispatchQueue(label: "items"))
    let nothing = try await withCheckedThrowingContinuation { continuation in
      manager.delete("items/7", as: Item.self) { continuation.resume(with: $0) }
    }
    #expect(nothing == nil)

    manager.get("items/7") { answer($0) }
    let asked = try #require(try await server.received(2).last)
    manager.cancel()
    #expect(try await server.connectionClosed(asked.connectionID) == .client)
    #expect(answer.all.isEmpty)
  }

  @Test("The mock returns the results that a test has set")
  func mock() throws {
    let mock = MockNetworkManager()
    mock.output = Data(#"{"id": 7}"#.utf8)
    let manager = AnyNetworkManager(mock)
    manager.get("anything") { answer($0) }
    try expectItem()

    mock.succeeds = false
    manager.get("anything") { answer($0) }
    #expect(throws: MockNetworkManager.Failure.self) { try #require(answer.all.last).get() }
    manager.cancel()
    #expect(mock.cancellations == 1)
  }
}
