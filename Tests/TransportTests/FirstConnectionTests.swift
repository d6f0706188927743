#if os(Linux)
  import Fixtures
  import Foundation
  import RESTKitTesting
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The first connection to an origin that may have HTTP/2", .timeLimit(.minutes(10)))
  struct FirstConnectionTests {
    private let library: CurlLibrary
    private let queue = CurlConnectionQueue(ConnectionShare(connections: 6), patience: .seconds(1))

    init() throws { library = try CurlLibrary.load() }

    private func job(
      _ url: String = "https://a.example/", _ change: (inout EngineRequest) -> Void = { _ in }
    ) throws -> CurlJob {
      var request = EngineRequest(url: url)
      change(&request)
      let call = EngineCall(completion: { _ in }, onCancel: { _ in })
      return try CurlJob(request, call, begin: .now, library: library)
    }

    /// Enters so many calls, and expects that all of them wait.
    private func enterWaiting(_ count: Int) throws -> [CurlJob] {
      try (0..<count).map { _ in
        let job = try job()
        #expect(queue.begin(job) == nil)
        return job
      }
    }

    /// The calls of the lines with new places, as the loop begins them.
    private func begun() -> [ObjectIdentifier] {
      var begun: [CurlJob] = []
      for line in queue.takeWidened() {
        while let job = queue.nextJob(line) { begun.append(job) }
      }
      return calls(of: begun)
    }

    private func calls(of jobs: some Sequence<CurlJob>) -> [ObjectIdentifier] {
      jobs.map { ObjectIdentifier($0.call) }
    }

    @Test("With HTTP/2 the calls that wait for the handshake share the connection")
    func shared() throws {
      let line = try #require(queue.begin(try job()))
      let waiting = try enterWaiting(99)
      #expect(queue.awaits(line))
      #expect(begun().isEmpty)
      line.noteConnection(servesMany: true)
      #expect(begun() == calls(of: waiting))
      #expect(!queue.awaits(line))
    }

    @Test("With HTTP/1.1 they make their own connections, and no later call waits again")
    func separate() throws {
      let line = try #require(queue.begin(try job()))
      let waiting = try enterWaiting(6)
      line.noteConnection(servesMany: false)
      #expect(begun() == calls(of: waiting.prefix(5)))
      queue.leave(line)
      #expect(queue.nextJob(line) === waiting[5])
      for _ in 0..<6 { queue.leave(line) }
      for _ in 0..<6 { #expect(queue.begin(try job()) != nil) }
    }

    @Test("When all calls have left, the next one makes a first connection of HTTP/2 again")
    func again() throws {
      for _ in 0..<3 {
        let line = try #require(queue.begin(try job()))
        let waiting = try enterWaiting(2)
        line.noteConnection(servesMany: true)
        #expect(begun().count == waiting.count)
        for _ in 0..<3 { queue.leave(line) }
      }
    }

    @Test("A call that fails or is canceled before its handshake lets the others begin")
    func failure() throws {
      let line = try #require(queue.begin(try job()))
      let waiting = try enterWaiting(8)
      queue.leave(line)
      #expect(begun() == calls(of: waiting.prefix(6)))
      // They make their connections at the same time, and hold nobody up.
      queue.leave(line)
      #expect(queue.nextJob(line) === waiting[6])
    }

    @Test("A handshake that takes longer than a second lets the others begin")
    func hang() throws {
      let begin = ContinuousClock.now
      let line = try #require(queue.begin(try job()))
      #expect(queue.nextDeadline == nil)
      _ = try enterWaiting(1)
      let end = try #require(queue.nextDeadline)
      #expect(end >= begin + .seconds(1))
      #expect(end <= .now + .seconds(1))
      _ = try enterWaiting(1)
      #expect(queue.nextDeadline == end)
      let early = end - .nanoseconds(1)
      #expect(queue.removeExpired(early).isEmpty)
      queue.endWaits(early)
      #expect(begun().isEmpty)
      #expect(queue.removeExpired(end).isEmpty)
      queue.endWaits(end)
      #expect(begun().count == 2)
      #expect(queue.removeExpired(end).isEmpty)
      #expect(queue.nextDeadline == nil)
      line.noteConnection(servesMany: true)
      for _ in 0..<97 { #expect(queue.begin(try job()) != nil) }
    }

    @Test("An urgent call does not wait, and a large body neither shares nor makes the connection")
    func others() throws {
      let large = try job { $0.body = Data(count: 65_536) }
      #expect(queue.begin(large) != nil)
      let line = try #require(queue.begin(try job { $0.body = Data(count: 65_535) }))
      #expect(queue.awaits(line))
      _ = try enterWaiting(1)
      #expect(queue.begin(try job { $0.isUrgent = true }) != nil)
      let upload = try job { $0.upload = .data(Data([1])) }
      #expect(!upload.mayShare)
    }

    @Test("Without TLS, or where HTTP/2 is not offered, nobody waits")
    func plain() throws {
      for _ in 0..<6 { #expect(queue.begin(try job("http://a.example/")) != nil) }
      let queue = CurlConnectionQueue(ConnectionShare(connections: 6))
      for _ in 0..<6 { #expect(queue.begin(try job()) != nil) }
    }

    @Test("A call that was held while no call might begin waits for the first connection, too")
    func held() throws {
      queue.hold(true)
      _ = try enterWaiting(2)
      queue.hold(false)
      let line = try #require(queue.waitingLines().first)
      #expect(queue.nextJob(line) != nil)
      #expect(queue.nextJob(line) == nil)
      #expect(queue.nextDeadline != nil)
    }

    @Test("Calls to a silent server wait for one handshake, and then all fail by their own")
    func silent() async throws {
      try await Door.around { door in
        let peer = try RawPeer { connection in
          guard connection.index == 0 else { return }
          _ = connection.read()
          door.pass()
        }
        defer { peer.stop() }
        var configuration = CurlConfiguration()
        configuration.security.proxy = .none
        configuration.handshakePatience = .seconds(3_600)
        configuration.connectTimeout = .seconds(3_600)
        let engine = try CurlEngine(configuration: configuration)
        let url = peer.baseURL.replacing("http:", with: "https:")
        let (ends, end) = AsyncStream.makeStream(of: Result<EngineResponse, TransportError>.self)
        for _ in 0..<6 { _ = engine.start(EngineRequest(url: url)) { end.yield($0) } }
        // The leader, which takes its orders in turn, has seen all of them then.
        let late = try #require(
          await engine.fault(EngineRequest(url: url, timeout: .milliseconds(20))))
        #expect(late.kind == .timedOut)
        #expect(late.detail.contains("another call's connection"))
        #expect(peer.connectionCount <= 1)
        door.open()
        for await result in ends.prefix(6) {
          guard case .failure(let fault) = result, case .tlsFailed = fault.kind else {
            Issue.record("\(result)")
            continue
          }
        }
        #expect(peer.connectionCount == 6)
      }
    }
  }
#endif
