#if os(Linux)
  import Fixtures
  import Foundation
  import RESTKitTesting
  import Streams
  import Testing

  @testable import RESTKit

  @Suite("A transport with fixed addresses of hosts", .timeLimit(.minutes(10)))
  struct FixedAddressTests {
    /// Answers with a text of its own, and the host that it was told.
    private func peer(_ text: String, host: String, port: UInt16 = 0) throws -> RawPeer {
      try RawPeer(host: host, port: port) { connection in
        while let request = connection.readRequest() {
          let told = request.components(separatedBy: "\r\n").first { $0.hasPrefix("Host: ") } ?? ""
          let body = "\(text), \(told)"
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
      }
    }

    private func transport(
      _ host: String, _ port: UInt16, _ addresses: [String]
    ) throws -> CurlTransport {
      let host = HostAddresses(host: host, port: Int(port), addresses: addresses)
      return try CurlTransport(proxy: .none, addresses: .fixed([host]))
    }

    private func answer(_ url: String, _ transport: CurlTransport) async throws -> String {
      let response = try await TestAPI(baseURL: url, transport: transport).get(endpoint: "a").value
      return String(decoding: response.data, as: UTF8.self)
    }

    @Test("An unresolvable name leads to its fixed address, in any spelling, and stays the host")
    func madeUp() async throws {
      let peer = try peer("one", host: "127.0.0.2")
      defer { peer.stop() }
      // No name server knows it (RFC 6761 §6.4).
      let transport = try transport("api.example.invalid", peer.port, ["127.0.0.2"])
      for host in ["api.example.invalid", "API.Example.invalid"] {
        let answer = try await answer("http://\(host):\(peer.port)", transport)
        #expect(answer.lowercased() == "one, host: api.example.invalid:\(peer.port)")
      }
      let response = try await TestAPI(
        baseURL: "http://api.example.invalid:\(peer.port)", transport: transport
      ).get(endpoint: "a").value
      #expect(response.metrics?.remoteAddress == "127.0.0.2:\(peer.port)")
    }

    @Test("An address applies to every call, even on handles that libcurl gets later")
    func handles() async throws {
      let peer = try peer("one", host: "127.0.0.2")
      defer { peer.stop() }
      let transport = try transport("api.example.invalid", peer.port, ["127.0.0.2"])
      let url = "http://api.example.invalid:\(peer.port)"
      let answers = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<20 { group.addTask { try await answer(url, transport) } }
        return try await group.reduce(into: [String]()) { $0.append($1) }
      }
      #expect(answers.count == 20)
      #expect(Set(answers).count == 1)
    }

    @Test("Transports with different addresses for a name reach different servers")
    func apart() async throws {
      let one = try peer("one", host: "127.0.0.2")
      defer { one.stop() }
      let other = try peer("other", host: "127.0.0.3", port: one.port)
      defer { other.stop() }
      let host = "api.example.invalid"
      let transports = [
        try transport(host, one.port, ["127.0.0.2"]), try transport(host, one.port, ["127.0.0.3"]),
      ]
      for _ in 0..<2 {
        let answers = [
          try await answer("http://\(host):\(one.port)", transports[0]),
          try await answer("http://\(host):\(one.port)", transports[1]),
        ]
        #expect(answers.map { $0.prefix { $0 != "," } } == ["one", "other"])
      }
      #expect(one.connectionCount == 1 && other.connectionCount == 1)
    }

    @Test("If one address refuses, the next one is tried")
    func several() async throws {
      let peer = try peer("second", host: "127.0.0.2")
      defer { peer.stop() }
      let transport = try transport("api.example.invalid", peer.port, ["127.0.0.4", "127.0.0.2"])
      let answer = try await answer("http://api.example.invalid:\(peer.port)", transport)
      #expect(answer.hasPrefix("second"))
    }

    @Test("If all addresses refuse, the connection is refused, and nothing was sent")
    func refused() async throws {
      let peer = try peer("never", host: "127.0.0.2")
      let port = peer.port
      peer.stop()
      let transport = try transport("api.example.invalid", port, ["127.0.0.4", "127.0.0.5"])
      let api = TestAPI(baseURL: "http://api.example.invalid:\(port)", transport: transport)
      let error = try await restError(of: api.get(endpoint: "a"))
      #expect(error.kind == .transport(.connectionRefused))
      #expect((error.underlyingError as? TransportError)?.mayHaveBeenProcessed == false)
    }

    @Test("An address for another port, or for another name, is not used")
    func others() async throws {
      let peer = try peer("the system's", host: "127.0.0.1")
      defer { peer.stop() }
      let url = "http://localhost:\(peer.port)"
      let otherPort = try transport("localhost", 1, ["127.0.0.4"])
      #expect(try await answer(url, otherPort).hasPrefix("the system's"))
      let otherName = try transport("local", peer.port, ["127.0.0.4"])
      #expect(try await answer(url, otherName).hasPrefix("the system's"))
    }

    @Test("Each of several hosts has its own addresses")
    func severalHosts() async throws {
      let one = try peer("one", host: "127.0.0.2")
      defer { one.stop() }
      let other = try peer("other", host: "127.0.0.3")
      defer { other.stop() }
      let transport = try CurlTransport(
        proxy: .none,
        addresses: .fixed([
          HostAddresses(host: "a.invalid", port: Int(one.port), addresses: ["127.0.0.2"]),
          HostAddresses(host: "b.invalid", port: Int(other.port), addresses: ["127.0.0.3"]),
        ]))
      #expect(try await answer("http://a.invalid:\(one.port)", transport).hasPrefix("one"))
      #expect(try await answer("http://b.invalid:\(other.port)", transport).hasPrefix("other"))
    }

    @Test("A proxy's name uses the address that is given for it")
    func proxy() async throws {
      let proxy = try peer("by the proxy", host: "127.0.0.2")
      defer { proxy.stop() }
      let address = try #require(URL(string: "http://proxy.invalid:\(proxy.port)"))
      let host = HostAddresses(
        host: "proxy.invalid", port: Int(proxy.port), addresses: ["127.0.0.2"])
      let transport = try CurlTransport(
        proxy: .proxy(ProxyServer(address)), addresses: .fixed([host]))
      let answer = try await answer("http://shop.invalid", transport)
      #expect(answer == "by the proxy, Host: shop.invalid")
    }
  }
#endif
