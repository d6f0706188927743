#if os(Linux)
  import Fixtures
  import Foundation
  import RESTKitTesting
  import Streams
  import Synchronization
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("Back-pressure on libcurl", .timeLimit(.minutes(10)))
  struct EnginePauseTests {
    /// Takes the pieces of one call, and pauses behind each.
    private final class Inlet: Sendable {
      private let state = Mutex((chunks: 0, data: Data(), isPaused: false))

      var chunks: Int { state.withLock { $0.chunks } }
      var data: Data { state.withLock { $0.data } }

      func take(_ event: EngineEvent) -> HandlerWish {
        guard case .chunk(let chunk) = event else { return .more }
        return state.withLock { state in
          state.chunks += 1
          state.data += chunk
          state.isPaused = true
          return .pause
        }
      }

      /// Asks for the next piece, if it has paused.
      func resume(_ events: EventBuffer?) {
        let wasPaused = state.withLock { state in
          defer { state.isPaused = false }
          return state.isPaused
        }
        if wasPaused { events?.request(.max(1)) }
      }
    }

    @Test("After a pause no piece comes, and each resume delivers one more")
    func pause() async throws {
      let body = patternedBody(1 << 20)
      let server = try MockServer { request in
        request.path == "/other" ? .text("ok") : MockResponse(status: 200, body: body)
      }
      defer { server.stop() }
      let engine = try EngineKind.curl.make()
      let inlet = Inlet()
      let (ends, continuation) = AsyncStream.makeStream(
        of: Result<EngineResponse, TransportError>.self)
      var request = EngineRequest(url: server.baseURL)
      request.onEvent = inlet.take
      _ = engine.start(request) {
        continuation.yield($0)
        continuation.finish()
      }
      var last = 0
      while inlet.data.count < body.count {
        // Three calls on the same thread, so all ready work had its turn.
        for _ in 0..<3 {
          _ = try await engine.response(EngineRequest(url: server.baseURL + "/other"))
        }
        #expect(inlet.chunks <= last + 1)
        last = inlet.chunks
        inlet.resume(request.events)
      }
      inlet.resume(request.events)
      for await end in ends { #expect(throws: Never.self) { try end.get() } }
      #expect(inlet.data == body)
    }

    @Test("A pause after all bytes does not count as silence of the server")
    func pausedBehindAll() async throws {
      let gate = MockGate()
      // It is more than one piece, and the waiting ones are enough for a pause.
      let body = patternedBody(1_000_100)
      let server = try MockServer { request in
        MockResponse(
          status: 200, body: body,
          delivery: request.path == "/hang" ? .hang : .paused(afterBytes: 1_000_000, until: gate))
      }
      defer { server.stop() }
      let engine = try EngineKind.curl.make()
      let inlet = Inlet()
      let (ends, continuation) = AsyncStream.makeStream(
        of: Result<EngineResponse, TransportError>.self)
      var request = EngineRequest(url: server.baseURL)
      request.onEvent = inlet.take
      request.idleTimeout = .seconds(1)
      _ = engine.start(request) {
        continuation.yield($0)
        continuation.finish()
      }
      while inlet.chunks == 0 { await Task.yield() }
      // This one is begun later and runs out of a longer time, so the other would have.
      var silent = EngineRequest(url: server.baseURL + "/hang")
      silent.idleTimeout = .milliseconds(1_100)
      #expect(await engine.fault(silent)?.kind == .timedOut)
      gate.open()
      request.events?.request(.unlimited)
      for await end in ends { #expect(throws: Never.self) { try end.get() } }
    }

    @Test("URLSession, which cannot pause, is stopped when unrequested bytes exceed the limit")
    func unasked() async throws {
      // Requested bytes have room of 4 MiB beside the limit.
      let server = try MockServer { _ in MockResponse(status: 200, body: patternedBody(5 << 20)) }
      defer { server.stop() }
      var request = EngineRequest(url: server.baseURL)
      request.onEvent = Inlet().take
      let fault = try await EngineKind.urlSession.make(maxBodyBytes: 100_000).fault(request)
      #expect(fault?.kind == .limitExceeded(.bodyBytes))
      #expect(fault?.statusCode == 200)
    }

    @Test("A pause on the client's side does not count as silence of the server")
    func pausedIsNotSilent() async throws {
      let body = patternedBody(1 << 20)
      let server = try MockServer { request in
        request.path == "/hang"
          ? MockResponse(status: 200, delivery: .hang) : MockResponse(status: 200, body: body)
      }
      defer { server.stop() }
      let engine = try EngineKind.curl.make()
      let inlet = Inlet()
      let (ends, continuation) = AsyncStream.makeStream(
        of: Result<EngineResponse, TransportError>.self)
      var request = EngineRequest(url: server.baseURL)
      request.onEvent = inlet.take
      request.idleTimeout = .milliseconds(50)
      _ = engine.start(request) {
        continuation.yield($0)
        continuation.finish()
      }
      // This one runs out of a longer time, so the other would have.
      var silent = EngineRequest(url: server.baseURL + "/hang")
      silent.idleTimeout = .milliseconds(150)
      #expect(await engine.fault(silent)?.kind == .timedOut)
      #expect(await engine.fault(silent)?.kind == .timedOut)
      while inlet.data.count < body.count {
        inlet.resume(request.events)
        await Task.yield()
      }
      inlet.resume(request.events)
      for await end in ends { #expect(throws: Never.self) { try end.get() } }
      #expect(inlet.data == body)
    }
  }
#endif
