import Foundation
import RESTKit
import RESTKitReports
import RESTKitTesting
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Recipes {
  // snippet: log
  func logged(
    _ transport: any Transport, to write: @escaping @Sendable (String) -> Void
  ) -> any Transport {
    ObservedTransport(transport) { exchange in write("\(exchange)") }
  }
  // end

  // snippet: curl
  func printed() -> AnyPublisher<RESTResponse, any Error> {
    shop.get(endpoint: "orders") { request in
      print(request.curlCommand())
      return request
    }
  }
  // end

  // snippet: record
  func record(to file: URL) async throws {
    let recorder = HARRecorder(shop.transport)
    let recorded = ShopAPI(baseURL: shop.baseURL, transport: recorder)
    _ = try await recorded.get(endpoint: "orders").value
    try recorder.har.write(to: file)
  }

  func replay(from file: URL) throws -> ShopAPI {
    ShopAPI(baseURL: shop.baseURL, transport: HARReplay(try HAR(contentsOf: file)))
  }
  // end

  // snippet: metrics
  func timeToFirstByte() async throws -> Duration? {
    try await shop.get(endpoint: "orders").value.metrics?.firstByte
  }
  // end
}
