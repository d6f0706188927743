import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import RESTKit
import RESTKitAsyncHTTPClient
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("AsyncHTTPClientTransport", .timeLimit(.minutes(5)))
struct AsyncHTTPClientTransportTests {
  @Test("AsyncHTTPClientTransport keeps the transport contract")
  func conformance() async throws {
    let report = try await TransportConformance("AsyncHTTPClientTransport") {
      AsyncHTTPClientTransport(limits: $0)
    }
    .check()
    #expect(report.kept == TransportRule.allCases)
  }

  private func request(_ server: MockServer, _ path: String = "/") throws -> URLRequest {
    URLRequest(url: try #require(URL(string: server.baseURL + path)))
  }

  @Test("A configuration keeps the service's settings, and RESTKit's settings replace its own")
  func configuration() async throws {
    let server = try MockServer { request in
      MockResponse(
        status: request.path == "/a" ? 302 : 200,
        headers: [("Location", "/b"), ("Content-Encoding", "unheard-of")])
    }
    defer { server.stop() }
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .follow(max: 5, allowCycles: true)
    configuration.decompression = .enabled(limit: .none)
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
    let transport = AsyncHTTPClientTransport(configuration: configuration)
    #expect(try await transport.response(for: request(server, "/a")).value.statusCode == 302)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        let call = transport.response(for: try request(server, "/c"))
        group.addTask { _ = try await call.value }
      }
      try await group.waitForAll()
    }
    #expect(server.requests.count == 21)
    #expect(server.connectionCount == 1)
  }

  @Test("The transport runs on the service's event loops, which can shut down afterwards")
  func eventLoops() async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      let transport = AsyncHTTPClientTransport(eventLoopGroup: group)
      _ = try await transport.response(for: request(server)).value
    }
    #expect(try await server.connectionClosed(0) == .client)
    try await group.shutdownGracefully()
  }

  @Test("The README's API calls on the service's event loops")
  func readme() async throws {
    let server = try MockServer { .text($0.path) }
    defer { server.stop() }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      let api = OrdersAPI(baseURL: server.baseURL, eventLoops: group)
      #expect(try await api.get(endpoint: "orders").value.data == Data("/orders".utf8))
    }
    #expect(try await server.connectionClosed(0) == .client)
    try await group.shutdownGracefully()
  }

  @Test("User-Agent, Accept and Accept-Encoding are sent unless the caller sets others")
  func defaults() async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let transport = AsyncHTTPClientTransport()
    var own = try request(server)
    let names = ["User-Agent", "Accept", "Accept-Encoding"]
    _ = try await transport.response(for: own).value
    for name in names { own.setValue("mine", forHTTPHeaderField: name) }
    _ = try await transport.response(for: own).value
    let sent = server.requests.map { request in names.flatMap { request.values(for: $0) } }
    #expect(
      sent == [
        ["RESTKit/0.1", "*/*", ResponseIntake.acceptedCodings], ["mine", "mine", "mine"],
      ])
  }

  @Test("A header line over SwiftNIO's own limit also exceeds a limit")
  func ownHeaderLimit() async throws {
    let server = try MockServer { _ in
      MockResponse(
        status: 200, headers: [("X-Long", String(repeating: "v", count: 100_000))])
    }
    defer { server.stop() }
    let call = AsyncHTTPClientTransport().response(for: try request(server))
    let error = await #expect(throws: RESTError.self) { try await call.value }
    #expect(error?.kind == .transport(.limitExceeded(.headerBytes)))
  }

  @Test("Late chunks are sent when they come")
  func lateChunks() async throws {
    let server = try MockServer { .text(String(decoding: $0.body, as: UTF8.self)) }
    defer { server.stop() }
    let transport = AsyncHTTPClientTransport()
    let between = try request(server, "/between")
    let chunks = ["one ", "two ", "three"].publisher.setFailureType(to: (any Error).self)
      .tryAsyncMap { word in
        _ = try await transport.response(for: between).value
        return Data(word.utf8)
      }
    var upload = try request(server, "/upload")
    upload.httpMethod = "PUT"
    var answer = Data()
    for try await event in transport.events(for: upload, body: .chunks(chunks)).values {
      if case .chunk(let chunk) = event { answer += chunk }
    }
    #expect(answer == Data("one two three".utf8))
    // The last is the upload's: each of the others was whole before the chunk that waited for it.
    #expect(server.requests.map(\.path).last == "/upload")
    #expect(server.requests.count == 4)
  }

  @Test("Calls that many tasks start and cancel all end, and later calls receive responses")
  func storm() async throws {
    let server = try MockServer { .text($0.path) }
    defer { server.stop() }
    let transport = AsyncHTTPClientTransport()
    let call = try request(server, "/storm")
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<400 {
        group.addTask {
          let task = Task { try await transport.response(for: call).value }
          if number % 2 == 0 { task.cancel() }
          _ = await task.result
        }
      }
    }
    #expect(try await transport.response(for: call).value.data == Data("/storm".utf8))
  }
}
