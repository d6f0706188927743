#if os(Linux)
  import Fixtures
  import Foundation
  import RESTKitTesting
  import Streams
  import Synchronization
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("Loops that begin when they are needed, and one line for all", .timeLimit(.minutes(10)))
  struct CurlLoopsTests {
    private typealias Ends = AsyncStream<Result<EngineResponse, TransportError>>

    /// An engine of two loops with a connection each, and calls that hold both.
    private struct Crowd {
      let gates: [String: MockGate] = ["/0": MockGate(), "/1": MockGate()]
      let server: MockServer
      let engine: CurlLoopGroup
      let held: [(ends: Ends, call: EngineCall)]

      init() async throws {
        let gates = gates
        server = try MockServer { .text($0.path, gate: gates[$0.path]) }
        engine = try CurlLoopsTests.engine(2, connections: 2)
        let (engine, server) = (engine, server)
        held = (0..<2).map { CurlLoopsTests.start(server.baseURL + "/\($0)", on: engine) }
        _ = try await server.received(2)
      }

      func start(_ path: String, timeout: Duration? = nil) -> (ends: Ends, call: EngineCall) {
        CurlLoopsTests.start(server.baseURL + path, on: engine, timeout: timeout)
      }

      /// The number of the held call at a loop.
      func held(at loop: Int) throws -> Int {
        try #require(held.firstIndex { $0.call.loop.load(ordering: .relaxed) == loop })
      }

      func open(_ number: Int) { gates["/\(number)"]?.open() }
    }

    private static func engine(_ loops: Int, connections: Int = 6) throws -> CurlLoopGroup {
      var configuration = CurlConfiguration()
      configuration.maxConnectionsPerHost = connections
      configuration.security.proxy = .none
      return try CurlLoopGroup(count: loops, configuration: configuration)
    }

    private static func start(
      _ url: String, on engine: any HTTPEngine, timeout: Duration? = nil
    ) -> (ends: Ends, call: EngineCall) {
      let (ends, end) = Ends.makeStream()
      let call = engine.start(EngineRequest(url: url, timeout: timeout)) {
        end.yield($0)
        end.finish()
      }
      return (ends, call)
    }

    /// The one end of a call.
    private func end(_ ends: Ends) async throws -> Result<EngineResponse, TransportError> {
      var first: Result<EngineResponse, TransportError>?
      for await end in ends { first = end }
      return try #require(first)
    }

    private func fault(_ ends: Ends) async throws -> TransportError? {
      if case .failure(let fault) = try await end(ends) { fault } else { nil }
    }

    @Test("A call waits for no long poll while another loop has a place", arguments: [0, 1])
    func served(loop: Int) async throws {
      let crowd = try await Crowd()
      defer { crowd.server.stop() }
      let waiting = (0..<3).map { crowd.start("/waiting/\($0)") }
      crowd.open(try crowd.held(at: loop))
      for (ends, _) in waiting { #expect(try await end(ends).get().status == 200) }
      #expect(
        crowd.server.requests.dropFirst(2).map(\.path) == (0..<3).map { "/waiting/\($0)" })
      #expect(crowd.server.connectionCount == 2)
      #expect(crowd.held[try crowd.held(at: 1 - loop)].call.cancel())
      await crowd.engine.stop()
    }

    @Test("A call that is canceled in the line is not sent, and the next one takes its turn")
    func canceled() async throws {
      let crowd = try await Crowd()
      defer { crowd.server.stop() }
      let (gone, next) = (crowd.start("/gone"), crowd.start("/next"))
      #expect(gone.call.cancel())
      crowd.open(1)
      #expect(try await end(next.ends).get().status == 200)
      crowd.open(0)
      #expect(
        try await crowd.engine.response(EngineRequest(url: crowd.server.baseURL)).status == 200)
      #expect(!crowd.server.requests.map(\.path).contains("/gone"))
      await crowd.engine.stop()
    }

    @Test("A call that another loop took from the line can be canceled", arguments: [0, 1])
    func canceledElsewhere(loop: Int) async throws {
      let crowd = try await Crowd()
      defer { crowd.server.stop() }
      let waiting = crowd.start("/\(1 - (try crowd.held(at: loop)))")
      crowd.open(try crowd.held(at: loop))
      _ = try await crowd.server.received(3)
      #expect(waiting.call.loop.load(ordering: .relaxed) == loop)
      #expect(waiting.call.cancel())
      try await crowd.server.connectionClosed(crowd.server.requests[2].connectionID)
      // The place is free again.
      #expect(
        try await crowd.engine.response(EngineRequest(url: crowd.server.baseURL)).status == 200)
      await crowd.engine.stop()
    }

    @Test("A cancel that reaches the loop at which a call waited is passed on")
    func passedOn() async throws {
      let crowd = try await Crowd()
      defer { crowd.server.stop() }
      for number in 0..<2 {
        let call = crowd.held[number].call
        let other = 1 - call.loop.load(ordering: .relaxed)
        crowd.engine.loops.post(.cancel(call), to: other)
        // The two loops may reach the server in either order.
        let request = try #require(crowd.server.requests.first { $0.path == "/\(number)" })
        try await crowd.server.connectionClosed(request.connectionID)
      }
      await crowd.engine.stop()
    }

    @Test("A call leaves the line at its time limit, and says that the connections were busy")
    func expired() async throws {
      let crowd = try await Crowd()
      defer { crowd.server.stop() }
      let late = crowd.start("/late", timeout: .milliseconds(20))
      let fault = try await fault(late.ends)
      #expect(fault?.kind == .timedOut)
      #expect(fault?.detail.contains("all 2 connections") == true)
      #expect(crowd.server.requests.count == 2)
      await crowd.engine.stop()
    }

    @Test("A shutdown ends the calls of all loops, and those in the line")
    func shutdown() async throws {
      let crowd = try await Crowd()
      defer { crowd.server.stop() }
      let waiting = (0..<3).map { crowd.start("/\($0)") }
      await crowd.engine.stop()
      for (ends, _) in crowd.held + waiting {
        #expect(try await fault(ends)?.kind == .engineUnavailable)
      }
      let late = crowd.start("/late")
      #expect(try await fault(late.ends) == .engineClosed)
      #expect(crowd.server.requests.count == 2)
    }

    @Test("A refused request ends on a thread of the engine, and takes no place")
    func refused() async throws {
      let engine = try Self.engine(2, connections: 2)
      for _ in 0..<3 {
        let refused = Self.start("ftp://a.example/", on: engine)
        #expect(try await fault(refused.ends)?.kind == .unsupportedURL)
      }
      #expect(engine.loops.begun == 1)
      await engine.stop()
    }

    @Test("One call at a time has one loop, and many calls have all", arguments: [2, 3])
    func begun(loops: Int) async throws {
      let gate = MockGate()
      let server = try MockServer { .text($0.path, gate: $0.path == "/held" ? gate : nil) }
      defer { server.stop() }
      let engine = try Self.engine(loops)
      #expect(engine.loops.begun == 0)
      for _ in 0..<20 {
        #expect(try await engine.response(EngineRequest(url: server.baseURL)).status == 200)
      }
      #expect(engine.loops.begun == 1)
      let held = (0..<6).map { _ in Self.start(server.baseURL + "/held", on: engine) }
      _ = try await server.received(26)
      #expect(engine.loops.begun == loops)
      gate.open()
      for (ends, _) in held { #expect(try await end(ends).get().status == 200) }
      await engine.stop()
    }

    @Test("An engine without a call stops without a thread")
    func unused() async throws {
      let engine = try Self.engine(2)
      #expect(engine.sendsBodiesAsTheyCome)
      await engine.stop()
      await engine.stop()
      weak var loops: CurlLoops?
      do {
        let other = try Self.engine(2)
        loops = other.loops
        #expect(other.loops.begun == 0)
      }
      #expect(loops == nil)
    }

    @Test("A task that prefers the transport's threads lets a loop begin")
    func tasks() async throws {
      let engine = try Self.engine(2)
      let loops = engine.loops
      let executor = CurlTaskExecutor(loops.commandQueues, begin: loops.begin)
      #expect(await Task(executorPreference: executor) { 7 }.value == 7)
      #expect(loops.begun == 1)
      await engine.stop()
      #expect(await Task(executorPreference: executor) { 8 }.value == 8)
    }

    @Test("A call that waits for one whose loop never began fails at the end")
    func neverBegan() async throws {
      let loops = try CurlLoops(ConnectionShare(connections: 1), configuration: CurlConfiguration())
      let (ends, end) = Ends.makeStream()
      for index in 0..<2 {
        let call = EngineCall(completion: {
          end.yield($0)
          end.finish()
        }) { _ in }
        let job = try CurlJob(
          EngineRequest(url: "http://a.example/"), call, begin: .now,
          library: loops.commandQueues[0].library)
        #expect((loops.connectionQueue.begin(job) == nil) == (index == 1))
      }
      await withCheckedContinuation { continuation in loops.close { continuation.resume() } }
      #expect(try await fault(ends) == .engineClosed)
    }

    /// Takes a place for a call whose loop does not know of it yet.
    private func place(
      in loops: CurlLoops, _ request: EngineRequest, end: Ends.Continuation? = nil
    ) throws -> (job: CurlJob, line: CurlConnectionQueue.Line) {
      let call = EngineCall(
        completion: {
          end?.yield($0)
          end?.finish()
        }, onCancel: { _ in })
      let job = try CurlJob(
        request, call, begin: .now, library: loops.commandQueues[0].library)
      return (job, try #require(loops.connectionQueue.begin(job)))
    }

    @Test("The place of a call that is canceled, or fails, before it is sent goes to the next one")
    func givenBack() async throws {
      let server = try MockServer { .text($0.path) }
      defer { server.stop() }
      for isCanceled in [true, false] {
        let engine = try Self.engine(1, connections: 1)
        var request = EngineRequest(url: server.baseURL + "/first", method: "PUT")
        if !isCanceled { request.upload = .file(URL(fileURLWithPath: "/missing/file")) }
        let (ends, end) = Ends.makeStream()
        let (job, line) = try place(in: engine.loops, request, end: end)
        let next = Self.start(server.baseURL + "/next", on: engine)
        if isCanceled { #expect(job.call.cancel()) }
        engine.loops.post(.begin(job, line), to: 0)
        #expect(try await self.end(next.ends).get().status == 200)
        if !isCanceled { #expect(try await fault(ends) != nil) }
        await engine.stop()
      }
      #expect(server.requests.map(\.path) == ["/next", "/next"])
    }

    @Test("A call whose loop stops before it begins fails")
    func stoppedBefore() async throws {
      let loops = try CurlLoops(ConnectionShare(connections: 1), configuration: CurlConfiguration())
      let (ends, end) = Ends.makeStream()
      let (job, line) = try place(
        in: loops, EngineRequest(url: "http://127.0.0.1:1/"), end: end)
      #expect(loops.commandQueues[0].post(.begin(job, line)))
      loops.commandQueues[0].close {}
      loops.begin(0)
      #expect(try await fault(ends) == .engineClosed)
      await withCheckedContinuation { continuation in loops.close { continuation.resume() } }
    }

    @Test("A call whose loop has closed fails, and gives its place back")
    func closedLoop() async throws {
      let engine = try Self.engine(2, connections: 2)
      for queue in engine.loops.commandQueues { queue.close {} }
      for _ in 0..<3 {
        let call = Self.start("http://127.0.0.1:1/", on: engine)
        #expect(try await fault(call.ends) == .engineClosed)
      }
    }

    @Test(
      "Calls that waited for a first connection begin at all loops, or fail where one has closed",
      arguments: [false, true])
    func firstConnection(closes: Bool) async throws {
      try await Door.around { door in
        let peer = try RawPeer { connection in
          guard connection.index == 0 else { return }
          _ = connection.read()
          door.pass()
        }
        defer { peer.stop() }
        var configuration = CurlConfiguration()
        configuration.security.proxy = .none
        configuration.maxConnectionsPerHost = 2
        configuration.handshakePatience = .seconds(3_600)
        configuration.connectTimeout = .seconds(3_600)
        let engine = try CurlLoopGroup(count: 2, configuration: configuration)
        let url = peer.baseURL.replacing("http:", with: "https:")
        let calls = (0..<3).map { _ in Self.start(url, on: engine) }
        #expect(engine.loops.begun == 1)
        if closes { engine.loops.commandQueues[1].close {} }
        door.open()
        var closed = 0
        for (ends, _) in calls {
          switch try await fault(ends)?.kind {
          case .tlsFailed: break
          case .engineUnavailable: closed += 1
          case let kind: Issue.record("\(String(describing: kind))")
          }
        }
        #expect(closed == (closes ? 1 : 0))
        #expect(engine.loops.begun == 2)
        await engine.stop()
      }
    }
  }
#endif
