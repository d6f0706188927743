#if os(Linux)
  import CCurl
  import Fixtures
  import Foundation
  import RESTKitTesting
  import Streams
  import StreamsTesting
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The loop of an engine", .timeLimit(.minutes(10)))
  struct CurlLoopTests {
    /// An engine on a libcurl that a test has changed.
    private final class ChangedEngine: HTTPEngine {
      private let commandQueue: CurlCommandQueue

      init(_ library: CurlLibrary, connections: Int = 6) throws {
        commandQueue = try CurlCommandQueue.make(library)
        var configuration = CurlConfiguration()
        configuration.maxConnectionsPerHost = connections
        configuration.security.proxy = .none
        Thread.detachNewThread { [commandQueue, configuration] in
          CurlLoop(commandQueue: commandQueue, configuration: configuration).run()
        }
      }

      deinit { commandQueue.close {} }

      var sendsBodiesAsTheyCome: Bool { true }

      func start(
        _ request: EngineRequest,
        completion: @escaping @Sendable (Result<EngineResponse, TransportError>) -> Void
      ) -> EngineCall {
        let call = EngineCall(completion: completion) { [commandQueue] call in
          commandQueue.post(.cancel(call))
        }
        do throws(TransportError) {
          commandQueue.post(
            .start(try CurlJob(request, call, begin: .now, library: commandQueue.library)))
        } catch {
          commandQueue.post(.refuse(call, error))
        }
        return call
      }

      func resume(_ call: EngineCall) { commandQueue.post(.resumeReceiving(call)) }

      func shutdown(whenStopped: @escaping @Sendable () -> Void) {
        commandQueue.close(whenStopped: whenStopped)
      }
    }

    @Test("If libcurl's multi handle fails, each call fails, and the next one is still tried")
    func performFails() async throws {
      let library = try CurlLibrary.posing()
      let table = UnsafeMutablePointer(mutating: library.api)
      table.pointee.multi_act = { _, _, _, _ in 1 }
      let engine = try ChangedEngine(library)
      for _ in 0..<2 {
        let fault = try #require(await engine.fault(EngineRequest(url: "http://127.0.0.1:1/")))
        #expect(fault.kind == .engineUnavailable)
        #expect(fault.detail == library.multiText(for: 1))
        #expect(!fault.mayHaveBeenProcessed)
      }
      await engine.stop()
    }

    @Test("A call that libcurl refuses fails, returns its place and releases its body")
    func addFails() async throws {
      let library = try CurlLibrary.posing()
      let table = UnsafeMutablePointer(mutating: library.api)
      table.pointee.multi_add_handle = { _, _ in 1 }
      let engine = try ChangedEngine(library, connections: 1)
      for _ in 0..<2 {
        let upstream = TestPublisher<Data, any Error>()
        var request = EngineRequest(url: "http://127.0.0.1:1/", method: "PUT")
        request.upload = .chunks(upstream)
        let fault = try #require(await engine.fault(request))
        #expect(fault.kind == .engineUnavailable)
        #expect(!fault.mayHaveBeenProcessed)
        #expect(upstream.cancelCount == 1)
      }
      await engine.stop()
    }

    @Test("Up to 7.79 only a POST without a body has its own connection")
    func fresh() async throws {
      let server = try MockServer { _ in .text("ok") }
      defer { server.stop() }
      let engine = try ChangedEngine(try .posing(as: 0x07_4F00))
      let get = EngineRequest(url: server.baseURL)
      _ = try await engine.responses([
        get, get,
        EngineRequest(url: server.baseURL, method: "POST", body: Data("a".utf8)),
        EngineRequest(url: server.baseURL, method: "PUT"),
      ])
      #expect(server.connectionCount == 1)
      _ = try await engine.responses([get, EngineRequest(url: server.baseURL, method: "POST"), get])
      #expect(server.connectionCount == 2)
      await engine.stop()
    }

    @Test("Up to 7.79, too, a dead connection never makes a POST run twice")
    func onceOnOldLibraries() async throws {
      for body in [nil, Data("pay once".utf8)] {
        let server = try MockServer { request in
          request.method == "GET"
            ? .text("ok") : MockResponse(status: 200, delivery: .closeBeforeResponse)
        }
        defer { server.stop() }
        let engine = try ChangedEngine(try .posing(as: 0x07_4F00))
        let results = await engine.results([
          EngineRequest(url: server.baseURL),
          EngineRequest(url: server.baseURL, method: "POST", body: body),
        ])
        let fault = try #require(throws: TransportError.self) { try results[1].get() }
        #expect(fault.kind == .connectionClosedBeforeResponse)
        #expect(fault.mayHaveBeenProcessed)
        #expect(server.requests.map(\.method) == ["GET", "POST"])
        await engine.stop()
      }
    }

    @Test("Calls to a thread that stops before it reads them fail")
    func stopped() async throws {
      let commandQueue = try CurlCommandQueue.make(try .load())
      let faults = Lock<[TransportError]>([])
      let complete: @Sendable (Result<EngineResponse, TransportError>) -> Void = { result in
        if case .failure(let fault) = result { faults.withLock { $0.append(fault) } }
      }
      let started = EngineCall(completion: complete, onCancel: { _ in })
      let refused = EngineCall(completion: complete, onCancel: { _ in })
      let job = try CurlJob(
        EngineRequest(url: "http://127.0.0.1:1/"), started, begin: .now,
        library: commandQueue.library)
      let refusal = TransportError(kind: .invalidRequest, mayHaveBeenProcessed: false)
      #expect(commandQueue.prepareSleep())
      #expect(commandQueue.multi.wait(milliseconds: 0))
      #expect(commandQueue.post(.start(job)))
      #expect(!commandQueue.prepareSleep())
      #expect(commandQueue.post(.refuse(refused, refusal)))
      await withCheckedContinuation { continuation in
        commandQueue.close { continuation.resume() }
        #expect(!commandQueue.post(.cancel(started)))
        Thread.detachNewThread {
          CurlLoop(commandQueue: commandQueue, configuration: CurlConfiguration()).run()
        }
      }
      // Calls are told on threads of their own, in any order.
      let told = faults.withLock { $0 }
      #expect(told.count == 2)
      #expect(told.contains(.engineClosed))
      #expect(told.contains(refusal))
    }

    @Test("An engine has not stopped before its last commands are taken, and gets none afterwards")
    func leftovers() throws {
      let commandQueue = try CurlCommandQueue.make(try .load())
      defer { commandQueue.multi.close() }
      let call = EngineCall(completion: { _ in }, onCancel: { _ in })
      let stops = Counter()
      #expect(commandQueue.post(.told(call)))
      commandQueue.close { stops.add() }
      #expect(!commandQueue.post(.told(call)))
      #expect(!commandQueue.noteStopped())
      #expect(stops.value == 0)
      var commands: [CurlCommandQueue.Command] = []
      #expect(!commandQueue.take(into: &commands))
      #expect(commands.count == 1)
      #expect(commandQueue.noteStopped())
      #expect(stops.value == 1)
    }

    @Test("An engine configured with no connections uses one")
    func noConnections() async throws {
      let server = try MockServer { _ in .text("ok") }
      defer { server.stop() }
      let engine = try EngineKind.curl.make(maxConnections: 0)
      #expect(try await engine.response(EngineRequest(url: server.baseURL)).status == 200)
    }

    @Test("Two spellings of a server share the limit on its connections")
    func spellings() async throws {
      let gate = MockGate()
      let server = try MockServer { .text($0.path, gate: $0.path == "/held" ? gate : nil) }
      defer { server.stop() }
      let other = try MockServer { _ in .text("ok") }
      defer { other.stop() }
      let engine = try EngineKind.curl.make(maxConnections: 1)
      let capitals: String = "HTTP" + server.baseURL.dropFirst(4)
      async let first = engine.response(EngineRequest(url: server.baseURL + "/held"))
      _ = try await server.received(1)
      _ = engine.start(EngineRequest(url: capitals + "/second")) { _ in }
      _ = try await engine.response(EngineRequest(url: other.baseURL))
      gate.open()
      #expect(try await first.status == 200)
      _ = try await engine.response(EngineRequest(url: capitals + "/third"))
      #expect(server.requests.map(\.path) == ["/held", "/second", "/third"])
      #expect(server.connectionCount == 1)
    }

    @Test("No more connections are kept than configured")
    func keptConnections() async throws {
      let servers = try (0..<2).map { _ in try MockServer { _ in .text("ok") } }
      defer { for server in servers { server.stop() } }
      var configuration = CurlConfiguration()
      configuration.maxKeptConnections = 1
      configuration.security.proxy = .none
      let engine = try CurlEngine(configuration: configuration)
      let requests = servers.map { EngineRequest(url: $0.baseURL) }
      _ = try await engine.responses(requests + requests)
      // Whichever was kept of the first two, the other one was not.
      #expect(servers.map(\.connectionCount).reduce(0, +) > 2)
    }

    @Test("A silent server is abandoned at its idle timeout, even if a waiting call has more time")
    func silence() async throws {
      let server = try MockServer { request in
        request.path == "/hang" ? MockResponse(status: 200, delivery: .hang) : .text("ok")
      }
      defer { server.stop() }
      let engine = try EngineKind.curl.make(maxConnections: 1)
      var silent = EngineRequest(url: server.baseURL + "/hang")
      silent.idleTimeout = .milliseconds(500)
      let request = silent
      async let fault = engine.fault(request)
      _ = try await server.received(1)
      let next = try await engine.response(
        EngineRequest(url: server.baseURL + "/next", timeout: .seconds(20)))
      #expect(next.status == 200)
      #expect(await fault?.kind == .timedOut)
    }

    @Test("The thread has its name, 8 MiB of stack, and no signal when a peer is gone")
    func thread() async throws {
      let server = try MockServer { _ in .text("ok") }
      defer { server.stop() }
      let engine = try EngineKind.curl.make()
      let url = server.baseURL
      let seen: (isBlocked: Bool, stack: Int, name: String?) = await withCheckedContinuation {
        continuation in
        _ = engine.start(EngineRequest(url: url)) { _ in
          var signals = sigset_t()
          pthread_sigmask(SIG_BLOCK, nil, &signals)
          let isBlocked = sigismember(&signals, SIGPIPE) == 1
          let thread = Thread.current
          continuation.resume(returning: (isBlocked, thread.stackSize, thread.name))
        }
      }
      #expect(seen.isBlocked)
      #expect(seen.stack == 8 << 20)
      #expect(seen.name == "RESTKit.curl")
    }
  }
#endif
