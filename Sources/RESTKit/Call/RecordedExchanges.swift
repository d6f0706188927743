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
            call.record(.received(status: head.statusCode, metrics: nil))
          }
        })
        .onMetrics { call.record(.transferred(metrics: $0)) }
        .mapError { $0.recorded(in: call) }
    }
    .eraseToAnyPublisher()
  }
}

extension Error {
  /// This error, recorded in a call, and with what that tells of itself.
  func recorded(in call: LogicalCall) -> any Error {
    call.record(self)
    return telling(of: call)
  }

  /// This error with what a call tells of itself by now; one that is not RESTKit's stays as it is.
  func telling(of call: LogicalCall) -> any Error {
    guard var error = self as? RESTError else { return self }
    error.attempts = call.attempts
    error.log = call.log
    return error
  }
}
