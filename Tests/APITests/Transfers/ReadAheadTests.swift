import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Synchronization
import Testing

@Suite("Read-ahead of a loop is limited in bytes", .timeLimit(.minutes(10)))
struct ReadAheadTests {
  static let body = patternedBody(24 << 20)

  private func server() throws -> MockServer {
    try MockServer { request in
      request.path == "/a" ? MockResponse(status: 200, body: Self.body) : .text("ok")
    }
  }

  #if os(Linux)
    // URLSession cannot pause: received bytes wait, up to a limit.
    @Test(
      "A loop that takes a few pieces reads 128 KiB and a piece ahead, through any stage",
      arguments: [false, true])
    func ahead(isMapped: Bool) async throws {
      let server = try server()
      defer { server.stop() }
      let api = TestAPI(baseURL: server.baseURL, transport: try CurlTransport())
      let given = Mutex((bytes: 0, largest: 0))
      let chunks = api.events(endpoint: "a")
        .compactMap { event -> Data? in if case .chunk(let chunk) = event { chunk } else { nil } }
        .handleEvents(receiveOutput: { chunk in
          given.withLock { $0 = ($0.bytes + chunk.count, max($0.largest, chunk.count)) }
        })
      let pieces = isMapped ? chunks.map { $0 + [0] }.dropFirst().eraseToAnyPublisher() : nil
      var iterator = (pieces ?? chunks.eraseToAnyPublisher()).values.makeAsyncIterator()
      var taken = isMapped ? 1 : 0
      for _ in 0..<16 { taken += try await iterator.next()?.count ?? 0 }
      // After other calls have come and gone, all possible bytes of this one have come.
      for _ in 0..<10 { _ = try await api.get(endpoint: "b").value }
      let (bytes, largest) = given.withLock { $0 }
      #expect(bytes - taken <= 128 << 10 + 2 * largest)
      #expect(try await iterator.next() != nil)
    }

    @Test("A slow loop over events, or over JSON lines, reads 128 KiB and a chunk or two ahead")
    func elements() async throws {
      let data = String(repeating: "x", count: 16 << 10)
      let server = try MockServer { request in
        switch request.path {
        case "/events":
          MockResponse(
            status: 200, headers: [("Content-Type", "text/event-stream")],
            body: Data(String(repeating: "data: \(data)\n\n", count: 1_000).utf8))
        case "/lines":
          MockResponse(
            status: 200, body: Data(String(repeating: "\"\(data)\"\n", count: 1_000).utf8))
        default: .text("ok")
        }
      }
      defer { server.stop() }
      let api = TestAPI(baseURL: server.baseURL, transport: try CurlTransport())
      let events = api.serverSentEvents(endpoint: "events", reconnecting: .never).map(\.data)
      let lines = api.publisher(for: Lines())
      for elements in [events.eraseToAnyPublisher(), lines] {
        let given = Mutex(0)
        let counted = elements.handleEvents(receiveOutput: { _ in given.withLock { $0 += 1 } })
        var iterator = counted.values.makeAsyncIterator()
        for _ in 0..<3 { _ = try await iterator.next() }
        for _ in 0..<10 { _ = try await api.get(endpoint: "b").value }
        // 128 KiB, and two chunks of 256 KiB, are 40 elements; the loop asks for 256.
        #expect(given.withLock { $0 } <= 45)
        var rest = 0
        while try await iterator.next() != nil { rest += 1 }
        #expect(rest == 997)
      }
    }

    private struct Lines: Endpoint {
      typealias Response = JSONLines<String>
      var path: ResourcePath { "lines" }
    }
  #endif

  @Test(
    "All pieces arrive, through stages that drop pieces or delay them",
    arguments: TransportKind.allCases)
  func whole(kind: TransportKind) async throws {
    let server = try server()
    defer { server.stop() }
    let events = TestAPI(baseURL: server.baseURL, transport: try kind.make()).events(endpoint: "a")
    let bytes = Mutex(0)
    for try await _ in events.compactMap({ event -> Int? in
      if case .chunk(let chunk) = event { bytes.withLock { $0 += chunk.count } }
      return nil
    }).values {}
    #expect(bytes.withLock { $0 } == Self.body.count)
    var data = Data()
    for try await group in events.collect(100).values {
      for case .chunk(let chunk) in group { data += chunk }
    }
    #expect(data == Self.body)
  }

  @Test("A cancel while pieces wait ends the call", arguments: TransportKind.allCases)
  func cancelled(kind: TransportKind) async throws {
    let gate = MockGate()
    let server = try MockServer { request in
      guard request.path == "/a" else { return .text("ok") }
      return MockResponse(
        status: 200, body: Self.body, delivery: .paused(afterBytes: 4 << 20, until: gate))
    }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    for try await event in api.events(endpoint: "a").values {
      guard case .chunk = event else { continue }
      _ = try await api.get(endpoint: "b").value
      break
    }
    #expect(try await server.connectionClosed(0) == .client)
  }
}
