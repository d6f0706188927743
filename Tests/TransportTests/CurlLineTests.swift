#if os(Linux)
  import Fixtures
  import Foundation
  import RESTKitTesting
  import Streams
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("Calls that wait for a libcurl connection", .timeLimit(.minutes(5)))
  struct CurlLineTests {
    /// One connection that is busy until the gate opens, and calls that wait for it.
    private struct Queue {
      let gate = MockGate()
      let server: MockServer
      let engine: any HTTPEngine
      let first: AsyncStream<Result<EngineResponse, TransportError>>

      init() async throws {
        let gate = gate
        server = try MockServer { .text($0.path, gate: gate) }
        engine = try EngineKind.curl.make(maxConnections: 1)
        (first, _) = Self.start("/first", on: engine, server)
        _ = try await server.received(1)
      }

      static func start(
        _ path: String, on engine: any HTTPEngine, _ server: MockServer, timeout: Duration? = nil
      ) -> (AsyncStream<Result<EngineResponse, TransportError>>, EngineCall) {
        let (ends, end) = AsyncStream.makeStream(of: Result<EngineResponse, TransportError>.self)
        let call = engine.start(
          EngineRequest(url: server.baseURL + path, timeout: timeout)
        ) {
          end.yield($0)
          end.finish()
        }
        return (ends, call)
      }

      func start(
        _ path: String, timeout: Duration? = nil
      ) -> (ends: AsyncStream<Result<EngineResponse, TransportError>>, call: EngineCall) {
        Self.start(path, on: engine, server, timeout: timeout)
      }

      /// Waits until the leader, which takes its orders in turn, has seen those it was given.
      func settle() async throws {
        let other = try MockServer { _ in .text("ok") }
        defer { other.stop() }
        _ = try await engine.response(EngineRequest(url: other.baseURL))
      }
    }

    @Test("A long queue loses most of its calls, and keeps the order of the others")
    func manyCancels() async throws {
      let queue = try await Queue()
      defer { queue.server.stop() }
      let calls = (0..<300).map { queue.start("/\($0)") }
      for (index, call) in calls.enumerated() where index % 100 != 99 { call.call.cancel() }
      try await queue.settle()
      queue.gate.open()
      for index in [99, 199, 299] {
        for await end in calls[index].ends { #expect(try end.get().status == 200) }
      }
      #expect(queue.server.requests.map(\.path) == ["/first", "/99", "/199", "/299"])
    }

    @Test("A call that times out leaves the queue, and the others stay")
    func oneExpires() async throws {
      let queue = try await Queue()
      defer { queue.server.stop() }
      let patient = ["/one", "/two"].map { queue.start($0, timeout: .seconds(3_600)) }
      let late = queue.start("/late", timeout: .milliseconds(50))
      for await end in late.ends {
        let fault = #expect(throws: TransportError.self) { try end.get() }
        #expect(fault?.kind == .timedOut)
      }
      queue.gate.open()
      for call in patient {
        for await end in call.ends { #expect(try end.get().status == 200) }
      }
      #expect(queue.server.requests.map(\.path) == ["/first", "/one", "/two"])
    }

    @Test("Shutdown fails the waiting calls as unsent, before it is done")
    func shutdown() async throws {
      let queue = try await Queue()
      defer { queue.server.stop() }
      let faults = Lock<[TransportError]>([])
      for path in ["/one", "/two"] {
        _ = queue.engine.start(EngineRequest(url: queue.server.baseURL + path)) { result in
          if case .failure(let fault) = result { faults.withLock { $0.append(fault) } }
        }
      }
      try await queue.settle()
      await queue.engine.stop()
      let told = faults.withLock { $0 }
      #expect(told.map(\.kind) == [.engineUnavailable, .engineUnavailable])
      #expect(told.map(\.mayHaveBeenProcessed) == [false, false])
      #expect(queue.server.requests.map(\.path) == ["/first"])
    }
  }
#endif
