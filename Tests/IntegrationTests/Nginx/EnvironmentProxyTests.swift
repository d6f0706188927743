import Foundation
import RESTKit
import Streams
import Testing

extension IntegrationTests.Nginx {
  /// `run.sh` gives these a process whose environment has `http_proxy`, `https_proxy` and
  /// `no_proxy=localhost`.
  @Suite(
    "SEC-16: proxies from the environment",
    .enabled(
      if: ProcessInfo.processInfo.environment["RESTKIT_TEST_PROXIES_OF_ENVIRONMENT"] != nil,
      "the environment has no proxies; run.sh runs these once more with some"))
  struct ProxiesOfTheEnvironment {
    private func echo(_ address: String, _ transport: any Transport) async throws -> NginxEcho {
      try await PeerAPI(address, transport).get(endpoint: "echo").decode(type: NginxEcho.self).value
    }

    @Test("http goes through http_proxy", arguments: TransportKind.allCases)
    func plain(kind: TransportKind) async throws {
      let echo = try await echo(try Peer.plain.proxiedText, try kind.makeTransport())
      #expect(echo.via == "peers")
    }

    @Test("a host in no_proxy is reached directly", arguments: TransportKind.allCases)
    func exempt(kind: TransportKind) async throws {
      let address = try Peer.plain.text.replacingOccurrences(of: "127.0.0.1", with: "localhost")
      #expect(try await echo(address, try kind.makeTransport()).via == "")
    }

    #if os(Linux)
      private var tls: TLSOptions {
        get throws {
          var tls = TLSOptions()
          tls.authorities = .file(try Peer.authority.file)
          return tls
        }
      }

      @Test("https goes through https_proxy, in a tunnel")
      func tunnel() async throws {
        let echo = try await echo(try Peer.tls.proxiedText, try CurlTransport(tls: tls))
        #expect(echo.via == "")
        #expect(echo.tls == "TLSv1.3")
      }

      @Test("with the policy none, the environment's proxies are not used")
      func none() async throws {
        let transport = try CurlTransport(proxy: .none)
        #expect(try await echo(try Peer.plain.text, transport).via == "")
        let call = PeerAPI(try Peer.plain.proxiedText, transport).get(endpoint: "echo")
        let error = await #expect(throws: RESTError.self) { try await call.value }
        #expect(error?.kind == .transport(.hostNotFound))
      }

      @Test("a configured proxy and its host list replace those of the environment")
      func set() async throws {
        let proxy = ProxyPolicy.proxy(ProxyServer(try Peer.proxy.url))
        let transport = try CurlTransport(proxy: proxy)
        let address = try Peer.plain.text.replacingOccurrences(of: "127.0.0.1", with: "localhost")
        #expect(try await echo(address, transport).via == "peers")
        let other = ProxyPolicy.proxy(
          ProxyServer(try Peer.proxyWithPassword.url, user: "proxy-user", password: "wrong"))
        let response = try await PeerAPI(
          try Peer.plain.proxiedText, try CurlTransport(proxy: other)
        ).get(endpoint: "echo").value
        #expect(response.statusCode == 407)
      }
    #endif
  }
}
