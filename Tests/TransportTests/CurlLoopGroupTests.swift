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

    @Test("A place is returned once, explicitly or on its release")
    func placesGivenBack() {
      let share = ConnectionShare(engines: 2, connections: 2)
      let load = CallLoad(engines: 2)
      let origin = "http://a.example"
      let home = share.home(of: origin)
      for isEarly in [true, false] {
        let place = load.take(for: origin, share)
        #expect(place.engine == home)
        for _ in 0..<2 where isEarly { place.giveBack() }
      }
      let place = load.take(for: origin, share)
      #expect(place.engine == home)
      withExtendedLifetime(place) {
        #expect(load.take(for: origin, share).engine != home)
      }
    }

    @Test("An origin has one home, and its connections add up to its limit")
    func shares() throws {
      for (engines, connections) in [(1, 6), (2, 6), (4, 6), (4, 5), (16, 6), (3, 1)] {
        let share = ConnectionShare(engines: engines, connections: connections)
        #expect(share.engines == min(engines, connections))
        for origin in ["http://a.example", "https://b.example:8443", "http://[::1]:80"] {
          let own = (0..<share.engines).map { share.connections(of: $0, to: origin) }
          #expect(own.reduce(0, +) == connections)
          #expect(own.max() ?? 0 <= share.most)
          #expect(own.min() ?? 0 > 0)
          #expect(own[share.home(of: origin)] == share.most)
        }
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

    @Test("Origins have their homes at all loops")
    func homes() {
      let share = ConnectionShare(engines: 4, connections: 6)
      let homes = (0..<1_000).map { share.home(of: "https://host\($0).example") }
      for engine in 0..<4 { #expect(homes.count { $0 == engine } > 150) }
    }

    @Test("Without a free connection the next loop is taken, then the least busy one")
    func load() {
      let share = ConnectionShare(engines: 3, connections: 6)
      let load = CallLoad(engines: 3)
      let origin = "http://a.example"
      let home = share.home(of: origin)
      var places = (0..<6).map { _ in load.take(for: origin, share) }
      let order = [0, 0, 1, 1, 2, 2].map { (home + $0) % 3 }
      #expect(places.map(\.engine) == order)
      // All are as busy, and those of now go at once.
      for _ in 0..<3 { #expect(load.take(for: origin, share).engine == home) }
      let more = (0..<6).map { _ in load.take(for: origin, share) }
      #expect(Set(more.map(\.engine)) == [0, 1, 2])
      // A place that is free again is taken before others wait.
      let freed = places.remove(at: 3).engine
      places.removeAll { $0.engine == freed }
      withExtendedLifetime((more, places)) {
        #expect(load.take(for: origin, share).engine == freed)
      }
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
