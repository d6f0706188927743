#if os(Linux)
  import Fixtures
  import Foundation
  import RESTKitTesting
  import Streams
  import StreamsTesting
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  @Suite("Calls that wait for a libcurl connection", .timeLimit(.minutes(10)))
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

      /// Starts a request whose sender is asked again when a place is free.
      func start(
        _ path: String, of sender: Sender
      ) throws -> AsyncStream<Result<EngineResponse, TransportError>> {
        let (ends, end) = AsyncStream.makeStream(of: Result<EngineResponse, TransportError>.self)
        let url = try #require(URL(string: server.baseURL + path))
        var request = URLRequest(url: url)
        request.setValue("old", forHTTPHeaderField: "Authorization")
        var engineRequest = try EngineRequest(request, url: url)
        engineRequest.lastLook = (LastLook(at: request, of: sender), request)
        _ = engine.start(engineRequest) {
          end.yield($0)
          end.finish()
        }
        return ends
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

    /// An engine as a transport.
    private struct Wire: Transport {
      let engine: any HTTPEngine

      func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
        engine.response(for: request)
      }

      func events(
        for request: URLRequest, body: RequestBody?
      ) -> AnyPublisher<TransferEvent, any Error> {
        engine.events(for: request, body: body)
      }
    }

    /// The sender of a request, with its word at the last look.
    private final class Sender: LateSender {
      let wasHeldBack: Bool
      let verdict: LastLook.Verdict
      let looks = Counter()

      init(_ verdict: LastLook.Verdict, wasHeldBack: Bool = false) {
        (self.verdict, self.wasHeldBack) = (verdict, wasHeldBack)
      }

      func takeLastLook() -> LastLook.Verdict {
        looks.add()
        return verdict
      }
    }

    @Test(
      "A call that waited asks for its token when a place is free, and one that did not does not")
    func lastLook() async throws {
      let queue = try await Queue()
      defer { queue.server.stop() }
      let changed = Sender(.authorization("new"))
      let ends = try queue.start("/changed", of: changed)
      try await queue.settle()
      #expect(changed.looks.value == 0)
      queue.gate.open()
      for await end in ends { #expect(try end.get().status == 200) }
      for await end in try queue.start("/at-once", of: changed) {
        #expect(try end.get().status == 200)
      }
      #expect(changed.looks.value == 1)
      #expect(
        queue.server.requests.dropFirst().map { $0.value(for: "Authorization") } == ["new", "old"])
    }

    @Test("A call that is held back gives its place to the next, and is not sent")
    func heldBack() async throws {
      let queue = try await Queue()
      defer { queue.server.stop() }
      let held = try queue.start("/held", of: Sender(.heldBack))
      let next = queue.start("/next")
      try await queue.settle()
      queue.gate.open()
      for await end in held {
        let fault = #expect(throws: TransportError.self) { try end.get() }
        #expect(fault?.mayHaveBeenProcessed == false)
      }
      for await end in next.ends { #expect(try end.get().status == 200) }
      #expect(queue.server.requests.map(\.path) == ["/first", "/next"])
    }

    @Test("A call that was held back goes to the head of the queue")
    func goesFirst() async throws {
      let queue = try await Queue()
      defer { queue.server.stop() }
      let one = queue.start("/one")
      let back = try queue.start("/back", of: Sender(.unchanged, wasHeldBack: true))
      try await queue.settle()
      queue.gate.open()
      for await end in one.ends { #expect(try end.get().status == 200) }
      for await end in back { #expect(try end.get().status == 200) }
      #expect(queue.server.requests.map(\.path) == ["/first", "/back", "/one"])
    }

    @Test("A session's request that waited for a connection leaves with the token of its place")
    func session() async throws {
      let queue = try await Queue()
      defer { queue.server.stop() }
      let (scheduler, begin) = (TestScheduler(), Date(timeIntervalSince1970: 784_111_777))
      let session = TokenSession(
        grant: ClosureGrant { _ in
          Just(TokenResponse(accessToken: "t1", lifetime: .seconds(600)))
            .setFailureType(to: (any Error).self)
        },
        store: MemoryTokenStore(
          Credential(accessToken: "t0", refreshToken: "r", expiresAt: begin + 60)),
        scheduler: scheduler,
        date: { begin + Double(scheduler.now.components.seconds) })
      let api = TestAPI(
        baseURL: queue.server.baseURL, transport: Wire(engine: queue.engine), session: session)
      let (ends, end) = AsyncStream.makeStream(of: Result<Int, any Error>.self)
      let statuses = (0..<3).map {
        api.get(endpoint: "\($0)").map(\.statusCode).eraseToAnyPublisher()
      }
      let events = api.events(endpoint: "events").collect().map { _ in 200 }.eraseToAnyPublisher()
      let calls = (statuses + [events]).map { call in
        call.sink(receiveResult: { end.yield($0) })
      }
      try await queue.settle()
      scheduler.advance(by: .seconds(120))
      queue.gate.open()
      for await result in ends.prefix(4) { #expect(try result.get() == 200) }
      withExtendedLifetime(calls) {}
      #expect(
        queue.server.requests.dropFirst().map { $0.value(for: "Authorization") }
          == Array(repeating: "Bearer t1", count: 4))
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
