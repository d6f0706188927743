import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The examples of Docs/Transports.md run", .leakFree)
struct TransportsTests {
  #if os(Linux)
    @Test("Certificates are read when the transport is made")
    func tls() {
      let fault = #expect(throws: TransportError.self) {
        try TransportsExamples().makeBankTransport(certificatesIn: URL(filePath: "/nowhere"))
      }
      #expect(fault?.detail.contains("/nowhere/ca.pem") == true)
    }

    @Test("A missing socket is an error that names its path")
    func socket() async throws {
      let api = try TransportsExamples.DockerAPI(socket: "/nowhere/docker.sock")
      let error = await #expect(throws: RESTError.self) {
        try await api.get(endpoint: "info").value
      }
      #expect(error?.kind == .transport(.connectFailed))
      #expect(error?.description.contains("/nowhere/docker.sock") == true)
      #expect(try TransportsExamples.DockerAPI().baseURL.hasPrefix("http://localhost"))
    }

    @Test("An invalid address is an error when the transport is made")
    func fixed() throws {
      _ = try TransportsExamples().makeStagingTransport(at: "192.0.2.7")
      let fault = #expect(throws: TransportError.self) {
        _ = try TransportsExamples().makeStagingTransport(at: "staging.example.com")
      }
      #expect(fault?.detail.hasPrefix("AddressPolicy.fixed[0].addresses[0]") == true)
    }

    @Test("Tasks of a group run on the transport's executor, and without one")
    func executor() async throws {
      let server = try MockServer { request in
        .text(#"{"id":1,"total":\#(request.path == "/orders/1" ? 12.5 : 30)}"#)
      }
      defer { server.stop() }
      let transport = try CurlTransport(proxy: .none)
      let shop = ShopAPI(baseURL: server.baseURL, transport: transport)
      for executor in [transport.taskExecutor, nil] {
        let totals = try await TransportsExamples().totals(of: [1, 2], in: shop, on: executor)
        #expect(totals.sorted() == [12.5, 30])
      }
    }
  #endif

  @Test("The line of an exchange is the library's")
  func exchange() async throws {
    let lines = PassthroughSubject<String, Never>()
    let seen = TestSubscriber<String, Never>()
    lines.receive(subscriber: seen)
    let metrics = ExchangeMetrics(
      queued: .microseconds(100), nameLookup: .zero, connect: .zero, secureConnect: .zero,
      sending: .zero, waiting: .microseconds(8_000), receiving: .microseconds(300),
      total: .microseconds(8_400), isConnectionReused: true, remoteAddress: "192.0.2.7:443",
      httpVersion: "HTTP/2")
    let transport = TransportsExamples().observed(TimedTransport(metrics: metrics)) {
      lines.send($0)
    }
    _ = try await ShopAPI(baseURL: "https://shop.example.com/v1", transport: transport)
      .get(endpoint: "me").value
    let line = try Guide(at: "Docs/Transports.md").output("exchange")
    let time = /in \d+ ms/
    #expect(seen.values.map { $0.replacing(time, with: "") } == [line.replacing(time, with: "")])
    lines.send(completion: .finished)
  }
}

/// Answers at once, and says where the time went.
private struct TimedTransport: Transport {
  let metrics: ExchangeMetrics

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Just(request)
      .tryMap { request in
        let head = ResponseHead(url: try #require(request.url), statusCode: 200)
        return RESTResponse(
          head: head, data: Data(), request: RequestSummary(request), metrics: metrics)
      }
      .eraseToAnyPublisher()
  }
}
