import Foundation
import RESTKit
import Streams
import Synchronization
import Testing

extension IntegrationTests.Nginx {
  @Suite("Connections")
  struct Connections {
    private static func echo(_ api: PeerAPI) async throws -> NginxEcho {
      try await api.get(endpoint: "echo").decode(type: NginxEcho.self).value
    }

    @Test("consecutive calls share one connection", arguments: TransportKind.allCases)
    func reuse(kind: TransportKind) async throws {
      let api = PeerAPI(try Peer.plain.text, try kind.makeTransport())
      var connections: Set<String> = []
      for number in 1...10 {
        let echo = try await Self.echo(api)
        connections.insert(echo.connection)
        #expect(echo.requests == "\(number)")
      }
      #expect(connections.count == 1)
    }

    @Test("100 concurrent calls all receive responses", arguments: TransportKind.allCases)
    func many(kind: TransportKind) async throws {
      let echoes = try await all(100, PeerAPI(try Peer.plain.text, try kind.makeTransport()))
      #expect(echoes.count == 100)
      #expect(echoes.allSatisfy { $0.protocol == "HTTP/1.1" })
    }

    @Test("separate transports have separate connections")
    func apart() async throws {
      let one = PeerAPI(try Peer.plain.text, try TransportKind.allCases[0].makeTransport())
      let other = PeerAPI(try Peer.plain.text, try TransportKind.allCases[0].makeTransport())
      let first = try await Self.echo(one)
      let second = try await Self.echo(other)
      #expect(first.connection != second.connection)
    }

    private func all(_ count: Int, _ api: PeerAPI) async throws -> [NginxEcho] {
      try await withThrowingTaskGroup(of: NginxEcho.self) { group in
        for _ in 0..<count { group.addTask { try await Self.echo(api) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }

    #if os(Linux)
      private func trusting() throws -> CurlTransport {
        var tls = TLSOptions()
        tls.authorities = .file(try Peer.authority.file)
        return try CurlTransport(tls: tls)
      }

      // URLSession has as many at once, but now and then closes one and makes another.
      @Test("100 concurrent calls open at most 6 connections")
      func cap() async throws {
        let echoes = try await all(100, PeerAPI(try Peer.plain.text, try CurlTransport()))
        #expect(Set(echoes.map(\.connection)).count <= 6)
      }

      @Test("HTTP/2 carries 100 concurrent calls over one connection")
      func multiplexing() async throws {
        let echoes = try await all(100, PeerAPI(try Peer.http2.text, try trusting()))
        #expect(echoes.count == 100)
        #expect(echoes.allSatisfy { $0.protocol == "HTTP/2.0" })
        #expect(Set(echoes.map(\.connection)).count == 1)
      }

      @Test("calls that share a connection do not wait for each other's timers")
      func noStall() async throws {
        // libcurl 7.88 forgets a call in one of 50 rounds, until its connect time-out of 30 s.
        let clock = ContinuousClock()
        for _ in 0..<25 {
          let begin = clock.now
          _ = try await all(100, PeerAPI(try Peer.http2.text, try trusting()))
          #expect(clock.now - begin < .seconds(20))
        }
      }

      @Test(
        "a new connection resumes the TLS session of the previous one",
        arguments: [Peer.once, .onceHTTP2])
      func resumption(peer: Peer) async throws {
        let api = PeerAPI(try peer.text, try trusting())
        var resumed: [String] = []
        var connections: Set<String> = []
        for _ in 0..<4 {
          let echo = try await Self.echo(api)
          resumed.append(echo.resumed)
          connections.insert(echo.connection)
        }
        #expect(resumed == [".", "r", "r", "r"])
        #expect(connections.count == 4)
      }

      @Test("a large body to a server with HTTP/2 is sent over HTTP/1.1 and arrives")
      func largeBody() async throws {
        let body = Data(repeating: 7, count: 5 << 20)
        let response = try await PeerAPI(try Peer.http2.text, try trusting())
          .post(endpoint: "upload", body: .data(body)).value
        #expect(String(decoding: response.data, as: UTF8.self).contains("\"\(body.count)\""))
        #expect(response.metrics?.httpVersion == "HTTP/1.1")
      }

      @Test("a response has its connection and its metrics")
      func metrics() async throws {
        let exchanges = Journal()
        let transport = ObservedTransport(try trusting()) { exchanges.add($0) }
        let api = PeerAPI(try Peer.http2.text, transport)
        let first = try #require(try await api.get(endpoint: "json").value.metrics)
        let second = try #require(try await api.get(endpoint: "json").value.metrics)
        let port = try #require(try Peer.http2.url.port)
        for metrics in [first, second] {
          #expect(metrics.remoteAddress == "127.0.0.1:\(port)")
          #expect(metrics.httpVersion == "HTTP/2")
          #expect(try #require(metrics.total) >= #require(metrics.firstByte))
          #expect(metrics.phases.reduce(Duration.zero) { $0 + $1.length } == metrics.total)
        }
        #expect(first.isConnectionReused == false)
        #expect(second.isConnectionReused == true)
        #expect(try #require(first.connect) > .zero)
        #expect(try #require(first.secureConnect) > .zero)
        #expect(try #require(first.waiting) > .zero)
        #expect(second.nameLookup == .zero && second.connect == .zero)
        #expect(second.secureConnect == .zero)
        #expect(try #require(second.waiting) > .zero)
        #expect(exchanges.all.map(\.metrics) == [first, second])
        #expect("\(second)".hasPrefix("HTTP/2, 127.0.0.1:\(port), reused, "))
      }

      private final class Journal: Sendable {
        private let exchanges = Mutex<[Exchange]>([])
        var all: [Exchange] { exchanges.withLock { $0 } }
        func add(_ exchange: Exchange) { exchanges.withLock { $0.append(exchange) } }
      }
    #endif
  }
}
