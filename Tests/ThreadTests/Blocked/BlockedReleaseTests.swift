#if os(Linux)
  import Fixtures
  import Foundation
  import RESTKitTesting
  import Streams
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("Ends and releases while subscribers are slow", .timeLimit(.minutes(10)))
  struct BlockedReleaseTests {
    private func makeServer() throws -> MockServer {
      try MockServer { request in
        request.path == "/hang"
          ? MockResponse(status: 200, delivery: .hang) : .text(request.path)
      }
    }

    private func makeEngine(
      _ change: (inout CurlConfiguration) -> Void = { _ in }
    ) throws -> CurlEngine {
      var configuration = CurlConfiguration()
      configuration.security.proxy = .none
      change(&configuration)
      return try CurlEngine(configuration: configuration)
    }

    /// An engine that one subscriber holds up, and its warnings.
    private func makeShortEngine() throws -> (CurlEngine, AsyncStream<Void>) {
      let (warnings, warning) = AsyncStream.makeStream(of: Void.self)
      let engine = try makeEngine {
        $0.deliveryThreads = 2
        $0.warn = { _ in warning.yield() }
      }
      return (engine, warnings)
    }

    /// Starts a call that is paused from its first piece on, and tells the words for what it is
    /// told.
    private func startPaused(
      _ url: String, over engine: CurlEngine, witness: Witness? = nil,
      _ tell: @escaping @Sendable (String) -> Void
    ) -> (EngineCall, EventBuffer?) {
      var request = EngineRequest(url: url)
      request.onEvent = { event in
        withExtendedLifetime(witness) {
          if case .chunk = event { tell("chunk") } else { tell("head") }
        }
        return .pause
      }
      return (engine.start(request) { _ in tell("end") }, request.events)
    }

    @Test("A subscriber whose release is slow delays no call, even with a waiting end")
    func release() async throws {
      let server = try makeServer()
      defer { server.stop() }
      let engine = try makeEngine()
      let (words, word) = AsyncStream.makeStream(of: String.self)
      let (releases, release) = AsyncStream.makeStream(of: Void.self)
      try await Door.around { door in
        let (call, events) = startPaused(
          server.baseURL, over: engine,
          witness: Witness {
            release.yield()
            door.pass()
          }
        ) { word.yield($0) }
        for await _ in words { break }
        // Behind the responses to others its own is there as a whole, and waits.
        for _ in 0..<2 { _ = try await engine.response(EngineRequest(url: server.baseURL)) }
        #expect(call.cancel())
        Thread.detachNewThread { events?.close() }
        for await _ in releases { break }
        for _ in 0..<10 { _ = try await engine.response(EngineRequest(url: server.baseURL)) }
      }
      await engine.stop()
    }

    @Test("A shutdown ends a paused call, after its waiting events, which are delivered on demand")
    func paused() async throws {
      let server = try makeServer()
      defer { server.stop() }
      let engine = try makeEngine()
      let (words, word) = AsyncStream.makeStream(of: String.self)
      let (_, events) = startPaused(server.baseURL, over: engine) { word.yield($0) }
      for await _ in words { break }
      for _ in 0..<2 { _ = try await engine.response(EngineRequest(url: server.baseURL)) }
      await engine.stop()
      events?.request(.unlimited)
      word.finish()
      var told: [String] = []
      for await word in words { told.append(word) }
      #expect(told.last == "end")
      #expect(told.dropLast().allSatisfy { $0 == "chunk" })
    }

    @Test("While all threads are blocked no call begins, and then all begin")
    func backlog() async throws {
      let server = try makeServer()
      defer { server.stop() }
      let (engine, warnings) = try makeShortEngine()
      let (ends, end) = AsyncStream.makeStream(of: String.self)
      let url = server.baseURL
      try await Door.around { door in
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let hanging = engine.start(EngineRequest(url: url + "/hang")) { _ in }
        let id = try await server.received(1)[0].connectionID
        _ = engine.start(EngineRequest(url: url + "/blocked")) { _ in
          arrived.yield()
          door.pass()
          end.yield("blocked")
        }
        for await _ in arrivals { break }
        _ = engine.start(EngineRequest(url: url + "/second")) { _ in end.yield("second") }
        for await _ in warnings { break }
        for path in ["third", "fourth"] {
          _ = engine.start(EngineRequest(url: url + "/" + path)) { _ in end.yield(path) }
        }
        // Not even where a connection is free, which a cancel behind them makes.
        #expect(hanging.cancel())
        #expect(try await server.connectionClosed(id) == .client)
        #expect(server.requests.map(\.path) == ["/hang", "/blocked", "/second"])
        door.open()
        var told: Set<String> = []
        for await path in ends.prefix(4) { told.insert(path) }
        #expect(told == ["blocked", "second", "third", "fourth"])
      }
      await engine.stop()
    }

    @Test("A held call that times out names the cause of the delay")
    func outOfTime() async throws {
      let server = try makeServer()
      defer { server.stop() }
      let (engine, warnings) = try makeShortEngine()
      let url = server.baseURL
      try await Door.around { door in
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        _ = engine.start(EngineRequest(url: url)) { _ in
          arrived.yield()
          door.pass()
        }
        for await _ in arrivals { break }
        _ = engine.start(EngineRequest(url: url)) { _ in }
        for await _ in warnings { break }
        let (faults, fault) = AsyncStream.makeStream(of: TransportError?.self)
        _ = engine.start(EngineRequest(url: url, timeout: .milliseconds(1))) { result in
          if case .failure(let reason) = result { fault.yield(reason) } else { fault.yield(nil) }
        }
        // A call of an engine that is not blocked takes longer than that timeout.
        let other = try makeEngine()
        _ = await other.fault(EngineRequest(url: url + "/hang", timeout: .milliseconds(100)))
        door.open()
        for await fault in faults.prefix(1) {
          #expect(fault?.kind == .timedOut)
          #expect(fault?.detail.contains("subscribers blocked all threads") == true)
          #expect(fault?.mayHaveBeenProcessed == false)
        }
      }
      await engine.stop()
    }

    @Test("The warning is safe in a process whose error stream is closed")
    func closedErrorStream() async {
      await #expect(processExitsWith: .success) {
        close(STDERR_FILENO)
        CurlConfiguration().warn("They are held up.")
      }
    }
  }
#endif
