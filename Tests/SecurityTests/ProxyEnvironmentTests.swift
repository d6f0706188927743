#if os(Linux)
  import Fixtures
  import Foundation
  import RESTKitTesting
  import Streams
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  /// Each in a process of its own, since the environment belongs to all of it.
  @Suite("SEC-16: proxies of the environment", .timeLimit(.minutes(10)))
  struct ProxyEnvironmentTests {
    /// Asks for `http://nowhere.invalid/a`, which only a proxy can answer; nil without a response.
    private static func answer(of transport: any Transport) async -> String? {
      let api = TestAPI(baseURL: "http://nowhere.invalid", transport: transport)
      guard let response = try? await api.get(endpoint: "a").value else { return nil }
      return String(decoding: response.data, as: UTF8.self)
    }

    @Test("SEC-16: both transports use http_proxy as their documentation says")
    func used() async {
      await #expect(processExitsWith: .success) {
        let proxy = try MockServer { .text("by proxy: \($0.target)") }
        setenv("http_proxy", proxy.baseURL, 1)
        unsetenv("no_proxy")
        unsetenv("NO_PROXY")
        for kind in TransportKind.allCases {
          let answer = await ProxyEnvironmentTests.answer(of: try kind.make())
          #expect(answer == "by proxy: http://nowhere.invalid/a")
        }
      }
    }

    @Test("SEC-16: HTTP_PROXY is ignored, because a CGI's client could set it")
    func capitals() async {
      await #expect(processExitsWith: .success) {
        let proxy = try MockServer { _ in .text("by proxy") }
        for name in ["http_proxy", "all_proxy", "ALL_PROXY"] { unsetenv(name) }
        setenv("HTTP_PROXY", proxy.baseURL, 1)
        for kind in TransportKind.allCases {
          #expect(await ProxyEnvironmentTests.answer(of: try kind.make()) == nil)
        }
        #expect(proxy.connectionCount == 0)
      }
    }

    @Test("SEC-16: no_proxy excludes a host from the proxy")
    func excepted() async {
      await #expect(processExitsWith: .success) {
        let proxy = try MockServer { _ in .text("by proxy") }
        let server = try MockServer { _ in .text("direct") }
        setenv("http_proxy", proxy.baseURL, 1)
        setenv("no_proxy", "127.0.0.1", 1)
        for kind in TransportKind.allCases {
          let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
          #expect(try await api.get(endpoint: "a").value.data == Data("direct".utf8))
        }
        #expect(proxy.connectionCount == 0)
      }
    }

    @Test("SEC-16: an engine configured without a proxy uses none")
    func never() async {
      await #expect(processExitsWith: .success) {
        let proxy = try MockServer { _ in .text("by proxy") }
        let server = try MockServer { _ in .text("direct") }
        setenv("http_proxy", proxy.baseURL, 1)
        unsetenv("no_proxy")
        unsetenv("NO_PROXY")
        let response = try await EngineKind.curl.make().response(EngineRequest(url: server.baseURL))
        #expect(response.body == Data("direct".utf8))
        #expect(proxy.connectionCount == 0)
      }
    }
  }
#endif
