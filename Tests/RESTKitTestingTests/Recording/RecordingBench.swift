import Foundation
import RESTKit
import Streams
import Testing

@testable import RESTKitTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A real server, and a folder for its recordings.
final class RecordingBench: Sendable {
  struct API: RESTAPI {
    let baseURL: String
    let transport: any Transport
  }

  let folder: URL
  let server: MockServer
  var file: URL { folder.appending(path: "orders.har") }

  init(_ handler: @escaping @Sendable (MockRequest) -> MockResponse) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    server = try MockServer(handler: handler)
  }

  deinit {
    server.stop()
    try? FileManager.default.removeItem(at: folder)
  }

  var text: String {
    get throws { try String(contentsOf: file, encoding: .utf8) }
  }

  var isWritten: Bool { FileManager.default.fileExists(atPath: file.path) }

  func url(_ path: String) throws -> URL { try #require(URL(string: server.baseURL + path)) }

  /// A transport that records.
  func recorder(
    mode: RecordingMode = .always, secrets: [String] = [], shown: [String] = [],
    bodyLimit: Int = 1 << 20
  ) throws -> StubTransport {
    try .record(
      to: file.path, over: .shared, mode: mode, secrets: secrets, shown: shown,
      bodyLimit: bodyLimit)
  }

  /// A transport that plays, and whose own transport nothing may reach.
  func player(
    secrets: [String] = [], scheduler: any Scheduler = .immediate, line: UInt = #line
  ) throws -> StubTransport {
    try .record(
      to: file.path, over: UnreachableTransport(), mode: .never, secrets: secrets,
      scheduler: scheduler, line: line)
  }

  func api(_ transport: any Transport) -> API {
    API(baseURL: server.baseURL, transport: transport)
  }

  /// Records the exchanges of a test, plays them to the same test, and returns both results.
  func recordAndPlay<Result>(
    secrets: [String] = [], _ test: (API) async throws -> Result
  ) async throws -> (recorded: Result, played: Result) {
    let recorder = try recorder(secrets: secrets)
    let recorded = try await test(api(recorder))
    try recorder.verify()
    let count = server.requests.count
    let player = try player(secrets: secrets)
    let played = try await test(api(player))
    try player.verify()
    #expect(server.requests.count == count)
    return (recorded, played)
  }
}

/// Reports every request that reaches it.
private struct UnreachableTransport: Transport {
  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Issue.record("A request reached the server while a recording was played: \(request)")
    return Fail(error: TestFailure()).eraseToAnyPublisher()
  }
}
