import Foundation
import RESTKit
import Streams
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension IntegrationTests {
  @Suite("Metrics compared to the server's clock")
  struct ServerTimes {
    /// The steps of a server that pauses twice.
    private static func answer(to name: String, _ clock: ServerClock) -> [RawPeer.Step] {
      clock.note(.request, of: name)
      return [
        .pause(200), .run { clock.note(.answer, of: name) },
        .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no".utf8)),
        .pause(150), .run { clock.note(.end, of: name) }, .send(Array("k".utf8)), .keep,
      ]
    }

    @Test(
      "each phase matches the server's clock, on a new and on a kept connection",
      arguments: TransportKind.allCases)
    func phases(kind: TransportKind) async throws {
      let clock = ServerClock()
      let peer = try RawPeer { Self.answer(to: $0.target, clock) }
      defer { peer.stop() }
      // The one-time work of a process is not part of a call.
      _ = try await PeerAPI(peer.address, try kind.makeTransport()).get(endpoint: "warm").value
      let api = PeerAPI(peer.address, try kind.makeTransport())
      for name in ["/first", "/second"] {
        let begin = ContinuousClock.now
        let metrics = try #require(try await api.get(endpoint: name).value.metrics)
        expectSum(metrics)
        try expect(metrics.total, near: clock.time(.end, of: name) - begin, "total")
        try expect(
          metrics.receiving, near: clock.time(from: .answer, to: .end, of: name), "receiving")
        guard !kind.isURLSessionOnLinux, let total = metrics.total else { continue }
        try expect(
          metrics.waiting, near: clock.time(from: .request, to: .answer, of: name), "waiting")
        let rest = (metrics.waiting ?? .zero) + (metrics.receiving ?? .zero)
        try expect(total - rest, near: clock.time(.request, of: name) - begin, "till it was sent")
        #expect(metrics.isConnectionReused == (name == "/second"))
        if name == "/second" {
          #expect(metrics.nameLookup == .zero)
          #expect(metrics.connect == .zero)
          #expect(metrics.secureConnect == .zero)
        }
      }
    }

    #if os(Linux)
      @Test("the end of a slow upload and the response's time match the server's clock")
      func upload() async throws {
        let clock = ServerClock()
        let peer = try RawPeer { Self.answer(to: $0.target, clock) }
        defer { peer.stop() }
        let transport = try CurlTransport()
        for name in ["/first", "/second"] {
          let chunks = Just(Data(count: 1_000))
            .append(Just(Data(count: 1)).delay(for: .milliseconds(150), scheduler: .continuous))
            .setFailureType(to: (any Error).self)
          var request = URLRequest(url: try #require(URL(string: peer.address + name)))
          request.httpMethod = "POST"
          let told = Mutex<ExchangeMetrics?>(nil)
          let begin = ContinuousClock.now
          let events = transport.events(for: request, body: .chunks(chunks, length: 1_001))
            .onMetrics { metrics in told.withLock { $0 = metrics } }
          for try await _ in events.values {}
          let metrics = try #require(told.withLock { $0 })
          expectSum(metrics)
          try expect(metrics.sending, near: clock.time(.request, of: name) - begin, "sending")
          try expect(metrics.sending, near: .milliseconds(150), "sending, as the body came")
          try expect(
            metrics.waiting, near: clock.time(from: .request, to: .answer, of: name), "waiting")
          try expect(
            metrics.receiving, near: clock.time(from: .answer, to: .end, of: name), "receiving")
          try expect(metrics.total, near: clock.time(.end, of: name) - begin, "total")
        }
      }

      @Test("the wait for one of six connections matches the server's clock")
      func queue() async throws {
        let clock = ServerClock()
        let peer = try RawPeer { Self.answer(to: $0.target, clock) }
        defer { peer.stop() }
        let api = PeerAPI(peer.address, try CurlTransport())
        let begin = ContinuousClock.now
        let all = try await withThrowingTaskGroup(of: (String, ExchangeMetrics?).self) { group in
          for number in 0..<7 {
            let name = "/\(number)"
            group.addTask { (name, try await api.get(endpoint: name).value.metrics) }
          }
          return try await group.reduce(into: [String: ExchangeMetrics]()) { $0[$1.0] = $1.1 }
        }
        #expect(all.count == 7)
        for (name, metrics) in all {
          expectSum(metrics)
          let phases = [metrics.queued, metrics.nameLookup, metrics.connect].compactMap { $0 }
          try expect(
            phases.reduce(Duration.zero, +), near: clock.time(.request, of: name) - begin,
            "till it was sent")
        }
        let waits = all.values.compactMap(\.queued).sorted()
        #expect(waits.dropLast().allSatisfy { $0 < .milliseconds(50) }, "\(waits)")
        try expect(waits.last, near: .milliseconds(350), "queued")
      }
    #endif
  }
}
