import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Transport {
  /// The exchange in pieces, recorded in a call if there is one.
  func events(
    for request: URLRequest, body: RequestBody?, in call: LogicalCall?, isRedirected: Bool
  ) -> AnyPublisher<TransferEvent, any Error> {
    guard let call else { return events(for: request, body: body) }
    return Deferred {
      call.beginExchange(SentRequest(request, body: body), isRedirected: isRedirected)
      return events(for: request, body: body)
        .handleEvents(receiveOutput: { event in
          if case .head(let head) = event {
            call.journal.record(.received(status: head.statusCode, metrics: nil))
          }
        })
        .onMetrics { call.journal.record(.transferred(metrics: $0)) }
        .mapError { $0.recorded(in: call.journal) }
    }
    .eraseToAnyPublisher()
  }
}
