import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import HTTPTransport
@testable import RESTKit

/// A line of `SEC-05-header-names.jsonl`, `SEC-06-header-values.jsonl` or `SEC-07-methods.jsonl`.
struct HostileField: Decodable, Sendable {
  let name: String?
  let value: String?
  let method: String?
  let body: String?
  /// How often the value is repeated, and what is sent.
  let times: Int?
  /// The arriving value; nil if it arrives unchanged.
  let sent: String?
  let refused: String?
  /// Why URLSession alone refuses it.
  let urlSession: String?

  static let names = Corpus.entries("SEC-05-header-names", of: HostileField.self)
  static let values = Corpus.entries("SEC-06-header-values", of: HostileField.self)
  static let methods = Corpus.entries("SEC-07-methods", of: HostileField.self)

  func reason(_ kind: EngineKind) -> String? {
    refused ?? (kind == .urlSession ? urlSession : nil)
  }

  func repeated(_ text: String) -> String { String(repeating: text, count: times ?? 1) }
}

@Suite("Hostile header fields and methods, on both engines", .timeLimit(.minutes(10)))
struct HostileHeaderTests {
  /// Sends a request; checks that it is refused before a byte is sent, or returns what arrived.
  private func arrived(
    _ request: EngineRequest, _ entry: Corpus.Entry<HostileField>, _ kind: EngineKind,
    _ engine: any HTTPEngine, _ server: MockServer
  ) async -> MockRequest? {
    let before = server.requests.count
    let result = await engine.result(request)
    guard let reason = entry.content.reason(kind) else {
      #expect(throws: Never.self, sourceLocation: entry.location) { try result.get() }
      #expect(server.requests.count == before + 1, sourceLocation: entry.location)
      return server.requests.last
    }
    #expect(server.requests.count == before, sourceLocation: entry.location)
    guard case .failure(let fault) = result else {
      Issue.record("it was sent", sourceLocation: entry.location)
      return nil
    }
    #expect(!fault.mayHaveBeenProcessed, sourceLocation: entry.location)
    let error = RESTError(fault, request: RequestSummary(method: .get, url: nil))
    expectRefusal(
      error, .invalidRequest, "cannot be sent", reason, at: entry.location)
    return nil
  }

  @Test("SEC-05: a header's name is sent unchanged or refused", arguments: EngineKind.allCases)
  func names(kind: EngineKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let engine = try kind.make()
    for entry in HostileField.names {
      let name = try #require(entry.content.name)
      let request = EngineRequest(
        url: server.baseURL, headers: HTTPHeaders([(name: name, value: "v")]))
      let arrived = await arrived(request, entry, kind, engine, server)
      if entry.content.refused == nil {
        #expect(arrived?.values(for: name) == ["v"], sourceLocation: entry.location)
      }
    }
  }

  @Test(
    "SEC-06: a header's value is sent whole or refused, and not shown",
    arguments: EngineKind.allCases)
  func values(kind: EngineKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let engine = try kind.make()
    for entry in HostileField.values {
      let value = entry.content.repeated(try #require(entry.content.value))
      let request = EngineRequest(url: server.baseURL, headers: ["X-Value": value])
      let arrived = await arrived(request, entry, kind, engine, server)
      if let sent = entry.content.sent.map(entry.content.repeated) {
        #expect(arrived?.values(for: "X-Value") == [sent], sourceLocation: entry.location)
      }
    }
  }

  @Test("SEC-07: a method is sent unchanged or refused", arguments: EngineKind.allCases)
  func methods(kind: EngineKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let engine = try kind.make()
    for entry in HostileField.methods {
      let method = try #require(entry.content.method)
      let request = EngineRequest(
        url: server.baseURL, method: method, body: entry.content.body.map { Data($0.utf8) })
      let arrived = await arrived(request, entry, kind, engine, server)
      if entry.content.reason(kind) == nil {
        #expect(arrived?.method == method, sourceLocation: entry.location)
        #expect(
          arrived?.body == Data((entry.content.body ?? "").utf8), sourceLocation: entry.location)
      }
    }
  }

  @Test(
    "SEC-05, SEC-06, SEC-07: no part of a URLRequest becomes more than itself on the wire",
    arguments: TransportKind.allCases)
  func injection(kind: TransportKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    let plain = [
      "host", "user-agent", "accept", "accept-encoding", "connection", "accept-language",
    ]
    let fields =
      HostileField.names.map { ($0.content.name ?? "", "v") }
      + HostileField.values.map { ("X-Value", $0.content.value ?? "") }
    for (name, value) in fields {
      let result = await Result {
        try await api.get(endpoint: "a") { $0.adding(name, value) }.value
      }
      if case .failure(let error) = result {
        #expect((error as? RESTError)?.kind == .invalidRequest)
      }
    }
    for entry in HostileField.methods where entry.content.body == nil {
      let method = HTTPMethod(entry.content.method ?? "")
      _ = try? await api.request(method, endpoint: "a").value
    }
    // An accepted request is one request to the one place, with one extra field at most.
    let own = fields.map { $0.0.lowercased() }
    for request in server.requests {
      #expect(request.target == "/a")
      let others = request.headers.map { $0.name.lowercased() }.filter { !plain.contains($0) }
      #expect(others.allSatisfy { own.contains($0) })
      #expect(request.method != "GET" || others.count <= 1)
      #expect(request.value(for: "Host") == "127.0.0.1:\(server.port)")
    }
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
