import Fixtures
import Foundation
import RESTKit
import Streams
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A transport that has only whole responses delivers them in pieces")
struct WholeEventsTests {
  private func request(_ count: Int?) throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: "https://api.example.com/v1/a")))
    request.httpMethod = "POST"
    request.httpBody = count.map { Data(count: $0) }
    return request
  }

  @Test(
    "Sent bytes are reported once, and only if there were any",
    arguments: [nil, 0, 1, 2] as [Int?])
  func sent(count: Int?) async throws {
    let transport = AnsweringTransport { try RESTResponse(to: $0, status: 204) }
    let received = await transport.events(for: try request(count)).received()
    let bytes = Int64(count ?? 0)
    let progress = TransferProgress(completedBytes: bytes, totalBytes: bytes)
    #expect(received.sent == (bytes > 0 ? [progress] : []))
    #expect(received.heads.map(\.statusCode) == [204])
    #expect(received.chunks.isEmpty)
    #expect(received.failure == nil)
  }

  @Test("Measured metrics are reported, if there are any")
  func metrics() async throws {
    for metrics in [nil, ExchangeMetrics(isConnectionReused: true)] as [ExchangeMetrics?] {
      let told = Mutex<[ExchangeMetrics?]>([])
      let transport = AnsweringTransport { try RESTResponse(to: $0, status: 204, metrics: metrics) }
      let events = transport.events(for: try request(nil))
        .onMetrics { measured in told.withLock { $0.append(measured) } }
      _ = await events.received()
      #expect(told.withLock { $0 } == (metrics == nil ? [] : [metrics]))
    }
  }

  @Test("An exchange in pieces that ends without a head is reported without a status")
  func noHead() async throws {
    struct Headless: Transport {
      func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
        Empty().eraseToAnyPublisher()
      }
    }
    let statuses = Mutex<[Int?]>([])
    let transport = ObservedTransport(Headless()) { exchange in
      statuses.withLock { $0.append(try? exchange.outcome.get()) }
    }
    _ = await transport.events(for: try request(nil)).received()
    #expect(statuses.withLock { $0 } == [0])
  }
}
