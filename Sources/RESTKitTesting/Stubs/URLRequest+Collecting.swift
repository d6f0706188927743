import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// Calls a closure with the request that has its body in memory.
  func collecting(
    _ body: RequestBody?,
    _ exchange: @escaping @Sendable (URLRequest) -> AnyPublisher<TransferEvent, any Error>
  ) -> AnyPublisher<TransferEvent, any Error> {
    guard let body else { return exchange(self) }
    return body.collected()
      .mapError { error in
        (error as? TransportError).map { RESTError($0, request: RequestSummary(self)) } ?? error
      }
      .followed { data in
        var request = self
        request.httpBody = data
        return exchange(request)
      }
  }
}
