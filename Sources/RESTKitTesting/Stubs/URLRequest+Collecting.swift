import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// Calls a closure with the request that has its body in memory.
  ///
  /// - Parameter clock: The scheduler on which the body may be silent for the request's time.
  func collecting(
    _ body: RequestBody?, clock: any Scheduler,
    _ exchange: @escaping @Sendable (URLRequest) -> AnyPublisher<TransferEvent, any Error>
  ) -> AnyPublisher<TransferEvent, any Error> {
    guard let body else { return exchange(self) }
    // A scheduler on which time does not pass would end each body at once.
    let clock = clock is ImmediateScheduler ? .continuous : clock
    return body.failingInSilence(of: timeLimit, clock: clock).collected()
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
