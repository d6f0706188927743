import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import HTTPTransport
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Connections to one host", .timeLimit(.minutes(10)))
struct UrgentExchangeTests {
  /// An engine that notes which requests were urgent, and ends none.
  private final class NotingEngine: HTTPEngine {
    let urgent = Lock<[Bool]>([])
    var sendsBodiesAsTheyCome: Bool { true }

    func start(
      _ request: EngineRequest,
      completion: @escaping @Sendable (Result<EngineResponse, TransportError>) -> Void
    ) -> EngineCall {
      urgent.withLock { $0.append(request.isUrgent) }
      return EngineCall(completion: completion, onCancel: { _ in })
    }

    func shutdown(whenStopped: @escaping @Sendable () -> Void) { whenStopped() }
  }

  @Test("An engine hears that others wait for an exchange, whole or in pieces")
  func context() throws {
    let engine = NotingEngine()
    let request = URLRequest(url: try #require(URL(string: "http://a.example/")))
    for isUrgent in [true, false] {
      engine.response(for: request).context(UrgentExchange.self, isUrgent)
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in }).cancel()
      engine.events(for: request, body: nil).context(UrgentExchange.self, isUrgent)
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in }).cancel()
    }
    engine.response(for: request).sink(receiveCompletion: { _ in }, receiveValue: { _ in }).cancel()
    #expect(engine.urgent.withLock { $0 } == [true, true, false, false, false])
  }

  #if os(Linux)
    @Test("An urgent call goes through while others have all connections", arguments: [1, 2])
    func urgent(threads: Int) async throws {
      let gate = MockGate()
      let server = try MockServer { .text($0.path, gate: $0.path == "/urgent" ? nil : gate) }
      defer { server.stop() }
      var configuration = CurlConfiguration()
      configuration.maxConnectionsPerHost = 2
      configuration.security.proxy = .none
      let engine: any HTTPEngine =
        threads == 1
        ? try CurlEngine(configuration: configuration)
        : try CurlLoopGroup(count: threads, configuration: configuration)
      let calls = (0..<3).map { number in
        engine.start(EngineRequest(url: server.baseURL + "/\(number)")) { _ in }
      }
      _ = try await server.received(2)
      var request = EngineRequest(url: server.baseURL + "/urgent")
      request.isUrgent = true
      #expect(try await engine.response(request).status == 200)
      #expect(server.requests.map(\.path).count == 3)
      gate.open()
      for call in calls { call.cancel() }
    }
  #endif

  private func transport(_ kind: EngineKind, connections: Int) throws -> any Transport {
    switch kind {
    #if os(Linux)
      case .curl: try CurlTransport(proxy: .none, connectionsPerHost: connections)
    #endif
    case .urlSession: URLSessionTransport(connectionsPerHost: connections)
    }
  }

  @Test(
    "A transport has as many connections to a host as it is told, and at least one",
    arguments: EngineKind.allCases, [(told: 0, most: 1), (2, 2), (7, 7)])
  func connections(kind: EngineKind, numbers: (told: Int, most: Int)) async throws {
    // On Linux, Foundation may close a connection that another one needs.
    guard kind != .urlSession || numbers.most <= 2 else { return }
    let gate = MockGate()
    let server = try MockServer { .text($0.path, gate: gate) }
    defer { server.stop() }
    let transport = try transport(kind, connections: numbers.told)
    let url = try #require(URL(string: server.baseURL))
    let calls = Task {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0...numbers.most {
          group.addTask {
            try await transport.response(for: URLRequest(url: url)).value.statusCode
          }
        }
        return try await group.reduce(0) { $0 + $1 }
      }
    }
    _ = try await server.received(numbers.most)
    #expect(server.requests.count == numbers.most)
    gate.open()
    #expect(try await calls.value == 200 * (numbers.most + 1))
  }
}
