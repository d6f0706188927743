#if os(Linux)
  import Foundation
  import FoundationNetworking
  import RESTKit
  import Streams
  import Testing

  extension IntegrationTests.Nginx {
    @Suite("Configured proxies")
    struct Proxies {
      private var tls: TLSOptions {
        get throws {
          var tls = TLSOptions()
          tls.authorities = .file(try Peer.authority.file)
          return tls
        }
      }

      private func api(_ address: String, _ proxy: ProxyPolicy) throws -> PeerAPI {
        PeerAPI(address, try CurlTransport(tls: tls, proxy: proxy))
      }

      private func withPassword(_ password: String? = nil) throws -> ProxyPolicy {
        let parts = try Peer.proxyCredentials.text.split(separator: ":").map(String.init)
        return .proxy(
          ProxyServer(
            try Peer.proxyWithPassword.url, user: parts[0], password: password ?? parts[1]))
      }

      private func echo(_ api: PeerAPI) async throws -> NginxEcho {
        try await api.get(endpoint: "echo").decode(type: NginxEcho.self).value
      }

      @Test("SEC-16: http is sent to the proxy in plain")
      func plain() async throws {
        let proxy = ProxyPolicy.proxy(ProxyServer(try Peer.proxy.url))
        let echo = try await echo(api(try Peer.plain.proxiedText, proxy))
        #expect(echo.via == "peers")
      }

      @Test("SEC-16: https uses a tunnel that the proxy cannot read")
      func tunnel() async throws {
        let proxy = ProxyPolicy.proxy(ProxyServer(try Peer.proxy.url))
        let api = try api(try Peer.http2.proxiedText, proxy)
        let response = try await api.get(endpoint: "echo").value
        let echo = try JSONDecoder().decode(NginxEcho.self, from: response.data)
        #expect(echo.via == "")
        #expect(echo.protocol == "HTTP/2.0")
        #expect(response.metrics?.remoteAddress == "127.0.0.1:\(try Peer.proxy.url.port ?? 0)")
        #expect(response.headers["Proxy-Agent"] == nil)
      }

      @Test("SEC-16: fields for an https server are not sent to the proxy")
      func secrets() async throws {
        // This proxy refuses a tunnel whose request has one of these fields.
        let proxy = ProxyPolicy.proxy(ProxyServer(try Peer.proxy.url))
        let call = try api(try Peer.tls.proxiedText, proxy).get(endpoint: "echo") { request in
          var request = request.addingBearerAuthorization(token: "canary")
          request.setValue("a=canary", forHTTPHeaderField: "Cookie")
          request.setValue("canary", forHTTPHeaderField: "X-Test")
          return request
        }
        #expect(try await call.decode(type: NginxEcho.self).value.test == "canary")
      }

      @Test("a proxy receives the password that it requests", arguments: [Peer.plain, .tls])
      func password(peer: Peer) async throws {
        let echo = try await echo(api(try peer.proxiedText, try withPassword()))
        #expect(echo.method == "GET")
      }

      @Test(
        "SEC-14: the certificate of a TLS proxy is verified like a server's",
        arguments: [Peer.plain, .tls])
      func secure(peer: Peer) async throws {
        let proxy = ProxyPolicy.proxy(ProxyServer(try Peer.proxyWithTLS.url))
        let echo = try await echo(api(try peer.proxiedText, proxy))
        #expect(echo.via == (peer == .plain ? "peers" : ""))
        let untrusting = PeerAPI(try peer.proxiedText, try CurlTransport(proxy: proxy))
        let call = untrusting.get(endpoint: "echo")
        let error = try #require(await #expect(throws: RESTError.self) { try await call.value })
        #expect(error.kind == .transport(.tlsFailed(.untrustedIssuer)))
        #expect((error.underlyingError as? TransportError)?.mayHaveBeenProcessed == false)
      }

      @Test("a proxy's refusal is a response for http, and a failed connection for https")
      func refused() async throws {
        let wrong = try withPassword("canary")
        let response = try await api(try Peer.plain.proxiedText, wrong).get(endpoint: "echo").value
        #expect(response.statusCode == 407)
        let call = try api(try Peer.tls.proxiedText, wrong).get(endpoint: "echo")
        let error = try #require(await #expect(throws: RESTError.self) { try await call.value })
        #expect(error.kind == .transport(.connectFailed))
        #expect((error.underlyingError as? TransportError)?.mayHaveBeenProcessed == false)
        #expect(error.description.contains("407"))
        #expect(!error.description.contains("canary"))
      }

      @Test("bypassed hosts are reached without the proxy")
      func bypass() async throws {
        var server = ProxyServer(try Peer.proxy.url)
        server.bypassedHosts = ["example.com", "127.0.0.1"]
        #expect(try await echo(api(try Peer.plain.text, .proxy(server))).via == "")
        server.bypassedHosts = ["example.com"]
        #expect(try await echo(api(try Peer.plain.text, .proxy(server))).via == "peers")
      }

      @Test("a missing proxy is a failed connection, and nothing was sent")
      func absent() async throws {
        let proxy = ProxyPolicy.proxy(
          ProxyServer(try #require(URL(string: "http://127.0.0.1:1"))))
        let call = try api(try Peer.plain.text, proxy).get(endpoint: "echo")
        let error = try #require(await #expect(throws: RESTError.self) { try await call.value })
        #expect(error.kind == .transport(.connectionRefused))
        #expect((error.underlyingError as? TransportError)?.mayHaveBeenProcessed == false)
      }
    }
  }
#endif
