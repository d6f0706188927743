#if os(Linux)
  import Foundation
  import RESTKit
  import Streams
  import Testing

  extension IntegrationTests.Nginx {
    @Suite("Metrics of a handshake compared to a relay that delays it")
    struct HandshakeTimes {
      private func transport(_ proxy: ProxyPolicy = .none) throws -> CurlTransport {
        var tls = TLSOptions()
        tls.authorities = .file(try Peer.authority.file)
        return try CurlTransport(tls: tls, proxy: proxy)
      }

      private func relay(
        to peer: Peer, tunnelPause: Int? = nil, _ clock: ServerClock
      ) throws -> SlowRelay {
        try SlowRelay(
          to: UInt16(try #require(try peer.url.port)), tunnelPause: tunnelPause, responsePause: 200,
          clock: clock)
      }

      @Test(
        "the TLS time equals the server's delay, and a call on a kept connection has none",
        arguments: [Peer.tls, .http2])
      func handshake(peer: Peer) async throws {
        let clock = ServerClock()
        let relay = try relay(to: peer, clock)
        defer { relay.stop() }
        let api = PeerAPI("https://127.0.0.1:\(relay.port)", try transport())
        let first = try #require(try await api.get(endpoint: "json").value.metrics)
        expectSum(first)
        try expect(
          first.secureConnect, near: clock.time(from: .accepted, to: .handshake, of: "0"), "TLS")
        try expect(first.connect, near: .zero, "connect")
        try expect(first.nameLookup, near: .zero, "name lookup")
        try expect(first.total, near: .milliseconds(200), "total")
        let second = try #require(try await api.get(endpoint: "json").value.metrics)
        expectSum(second)
        #expect(second.isConnectionReused == true)
        #expect(second.nameLookup == .zero && second.connect == .zero)
        #expect(second.secureConnect == .zero)
        try expect(second.total, near: .zero, "total of the second call")
      }

      @Test("the time of a tunnel counts as connecting and not as part of the TLS handshake")
      func tunnel() async throws {
        let clock = ServerClock()
        let relay = try relay(to: .tls, tunnelPause: 150, clock)
        defer { relay.stop() }
        let url = try #require(URL(string: "http://127.0.0.1:\(relay.port)"))
        let api = PeerAPI(try Peer.tls.text, try transport(.proxy(ProxyServer(url))))
        let metrics = try #require(try await api.get(endpoint: "json").value.metrics)
        expectSum(metrics)
        try expect(
          metrics.connect, near: clock.time(from: .accepted, to: .tunnel, of: "0"), "connect")
        // Other TLS libraries do not say when a handshake begins.
        try expect(
          metrics.secureConnect, near: clock.time(from: .tunnel, to: .handshake, of: "0"), "TLS")
      }

      @Test("a call that waits for another call's handshake counts as queued")
      func shared() async throws {
        for peer in [Peer.http2, .tls] {
          let clock = ServerClock()
          let relay = try relay(to: peer, clock)
          defer { relay.stop() }
          let api = PeerAPI("https://127.0.0.1:\(relay.port)", try transport())
          // Two tasks begin when other tests let them, the second one perhaps after the first one.
          let call = api.get(endpoint: "json")
          let both = try await call.merge(with: call).allValues
            .map { try #require($0.metrics) }
            .sorted { ($0.queued ?? .zero) < ($1.queued ?? .zero) }
          both.forEach { expectSum($0) }
          let wait = try clock.time(from: .accepted, to: .handshake, of: "0")
          try expect(both[0].queued, near: .zero, "queued, the first")
          try expect(both[0].secureConnect, near: wait, "TLS of the first")
          try expect(both[1].queued, near: wait, "queued, the second")
          #expect(both[1].isConnectionReused == (peer == .http2))
          let handshake =
            peer == .http2
            ? Duration.zero : try clock.time(from: .accepted, to: .handshake, of: "1")
          try expect(both[1].secureConnect, near: handshake, "TLS of the second")
        }
      }
    }
  }
#endif
