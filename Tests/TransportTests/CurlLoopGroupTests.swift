#if os(Linux)
  import Dispatch
  import Fixtures
  import Foundation
  import RESTKitTesting
  import Streams
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("Several loops share the work of one transport", .timeLimit(.minutes(10)))
  struct CurlLoopGroupTests {
    private func engine(_ count: Int, connections: Int = 6) throws -> CurlLoopGroup {
      var configuration = CurlConfiguration()
      configuration.maxConnectionsPerHost = connections
      configuration.security.proxy = .none
      return try CurlLoopGroup(count: count, configuration: configuration)
    }

    @Test("All loops together keep a host's connection limit, with any number of calls")
    func limit() async throws {
      let gate = MockGate()
      let server = try MockServer { .text($0.path, gate: gate) }
      defer { server.stop() }
      let engine = try engine(4)
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<100 {
          group.addTask {
            try await engine.response(EngineRequest(url: "\(server.baseURL)/\(number)")).status
          }
        }
        // All that may be asked at a time are.
        _ = try await server.received(6)
        #expect(server.connectionCount == 6)
        gate.open()
        for try await status in group { #expect(status == 200) }
      }
      #expect(server.connectionCount == 6)
      #expect(Set(server.requests.map(\.path)).count == 100)
      await engine.stop()
    }

    @Test("Successive calls to one origin use one connection")
    func oneAfterTheOther() async throws {
      let server = try MockServer { _ in .text("ok") }
      defer { server.stop() }
      let engine = try engine(4)
      for _ in 0..<20 {
        #expect(try await engine.response(EngineRequest(url: server.baseURL)).status == 200)
      }
      #expect(server.connectionCount == 1)
      await engine.stop()
    }

    @Test("A cancel returns the place, and pieces continue, on any loop")
    func cancelAndResume() async throws {
      let gate = MockGate()
      let body = patternedBody(1 << 20)
      let server = try MockServer { request in
        request.path == "/held"
          ? .text("late", gate: gate) : MockResponse(status: 200, body: body)
      }
      defer { server.stop() }
      let engine = try engine(2, connections: 2)
      // One is held at each loop in turn, so that what follows goes to the other one.
      for round in 0..<4 {
        let held = engine.start(EngineRequest(url: server.baseURL + "/held")) { _ in
          Issue.record("it was cancelled")
        }
        _ = try await server.received(round * 2 + 1)
        let (ends, end) = AsyncStream.makeStream(of: Result<EngineResponse, TransportError>.self)
        let pieces = Pieces()
        var request = EngineRequest(url: server.baseURL)
        request.onEvent = { pieces.take($0) }
        _ = engine.start(request) {
          end.yield($0)
          end.finish()
        }
        pieces.onPause { [events = request.events] in events?.request(.max(1)) }
        for await result in ends { #expect(throws: Never.self) { try result.get() } }
        #expect(pieces.data == body)
        #expect(held.cancel())
      }
      await engine.stop()
    }

    @Test("A blocked completion keeps no connection from later calls")
    func longCompletion() async throws {
      let server = try MockServer { _ in .text("ok") }
      defer { server.stop() }
      let engine = try engine(2, connections: 2)
      try await Door.around { door in
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        _ = engine.start(EngineRequest(url: server.baseURL)) { _ in
          arrived.yield()
          door.pass()
        }
        for await _ in arrivals { break }
        _ = try await engine.response(EngineRequest(url: server.baseURL))
        #expect(server.connectionCount == 1)
      }
      await engine.stop()
    }

    @Test("The connections of the loops add up to the limit of a host")
    func shares() {
      for (loops, connections) in [(1, 6), (2, 6), (4, 6), (4, 5), (16, 6), (3, 1), (0, 0)] {
        let share = ConnectionShare(loops: loops, connections: connections)
        #expect(share.loops == max(1, min(loops, connections)))
        let own = (0..<share.loops).map { share.connections(of: $0) }
        #expect(own.reduce(0, +) == max(1, connections))
        #expect(own.max() == share.most)
        #expect(own.first == share.most)
        #expect(own.min() ?? 0 > 0)
      }
    }

    @Test("Spellings of an origin are equal, in host and port")
    func spellings() {
      for url in ["http://a.example/b", "HTTP://A.Example:80/B?c", "http://a.example:80"] {
        #expect(CurlJob.origin(of: url) == "http://a.example")
      }
      #expect(CurlJob.origin(of: "https://a.example:443/") == "https://a.example")
      #expect(CurlJob.origin(of: "https://a.example:80/") == "https://a.example:80")
      #expect(CurlJob.origin(of: "http://a.example:443#c") == "http://a.example:443")
      #expect(CurlJob.origin(of: "http://[::80]/") == "http://[::80]")
    }
  }

  private final class Pieces: Sendable {
    private struct State {
      var data = Data()
      var isPaused = false
      var resume: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    var data: Data { state.withLock { $0.data } }

    /// Takes a piece, and asks for the next one from another thread.
    func take(_ event: EngineEvent) -> HandlerWish {
      guard case .chunk(let data) = event else { return .more }
      let resume = state.withLock { state -> (@Sendable () -> Void)? in
        state.data += data
        state.isPaused = state.resume == nil
        return state.resume
      }
      if let resume { DispatchQueue.global().async(execute: resume) }
      return .pause
    }

    func onPause(_ resume: @escaping @Sendable () -> Void) {
      let isPaused = state.withLock { state in
        state.resume = resume
        return state.isPaused
      }
      if isPaused { resume() }
    }
  }
#endif
