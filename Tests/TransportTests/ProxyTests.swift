#if os(Linux)
  import Fixtures
  import Foundation
  import RESTKit
  import RESTKitTesting
  import Streams
  import Testing

  @Suite("The proxy of a transport", .timeLimit(.minutes(10)))
  struct ProxyTests {
    private func transport(
      _ proxy: MockServer, user: String? = nil, bypassing hosts: [String] = []
    ) throws -> CurlTransport {
      let url = try #require(URL(string: proxy.baseURL))
      return try CurlTransport(
        proxy: .proxy(
          ProxyServer(
            url, user: user, password: user.map { _ in "open sesame" }, bypassedHosts: hosts)))
    }

    @Test("A request goes through the proxy whole, with the credentials")
    func through() async throws {
      let proxy = try MockServer { .text("for \($0.target)") }
      defer { proxy.stop() }
      // The proxy alone would know where this is (RFC 6761 §6.4).
      let api = TestAPI(
        baseURL: "http://shop.invalid", transport: try transport(proxy, user: "ali"))
      let response = try await api.get(endpoint: "caves").value
      #expect(response.data == Data("for http://shop.invalid/caves".utf8))
      let credentials = Data("ali:open sesame".utf8).base64EncodedString()
      #expect(proxy.requests.first?.value(for: "Proxy-Authorization") == "Basic \(credentials)")
    }

    @Test("A host that bypasses the proxy is reached directly, without the proxy's credentials")
    func bypassed() async throws {
      let proxy = try MockServer { _ in .text("by the proxy") }
      defer { proxy.stop() }
      let server = try MockServer { _ in .text("directly") }
      defer { server.stop() }
      let api = TestAPI(
        baseURL: server.baseURL,
        transport: try transport(proxy, user: "ali", bypassing: ["127.0.0.1"]))
      #expect(try await api.get(endpoint: "caves").value.data == Data("directly".utf8))
      #expect(server.requests.first?.value(for: "Proxy-Authorization") == nil)
      #expect(proxy.connectionCount == 0)
    }

    @Test(
      "SEC-09: a proxy that refuses a tunnel without end is abandoned, and delays no other call",
      arguments: [
        ("HTTP/1.1 407 No\r\nContent-Length: 999999999\r\n\r\n", "x"),
        ("HTTP/1.1 407 No\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"),
        ("HTTP/1.1 407 No\r\n", "X: y\r\n"), ("HTTP/1.1 407 No\r\nX: ", "y"),
      ])
    func endlessRefusal(head: String, more: String) async throws {
      let server = try RawPeer { connection in
        guard connection.readRequest() != nil else { return }
        connection.send(head)
        while connection.send(String(repeating: more, count: 1_000)) {}
      }
      defer { server.stop() }
      let other = try MockServer { _ in .text("answered") }
      defer { other.stop() }
      let url = try #require(URL(string: server.baseURL))
      let transport = try CurlTransport(
        proxy: .proxy(ProxyServer(url, bypassedHosts: ["127.0.0.1"])))
      async let refused = restError(
        of: TestAPI(baseURL: "https://shop.invalid", transport: transport)
          .post(endpoint: "caves", body: .data(Data("once".utf8))))
      let answer = try await TestAPI(baseURL: other.baseURL, transport: transport)
        .get(endpoint: "a").value
      #expect(answer.data == Data("answered".utf8))
      let fault = try await refused.underlyingError as? TransportError
      #expect(fault?.kind == .connectFailed, "\(String(describing: fault))")
      #expect(fault?.mayHaveBeenProcessed == false)
      let again = try await TestAPI(baseURL: other.baseURL, transport: transport)
        .get(endpoint: "b").value
      #expect(again.data == Data("answered".utf8))
    }
  }
#endif
