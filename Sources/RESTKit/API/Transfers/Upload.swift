import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RequestPlan {
  /// Returns a publisher of the upload's progress, and then of the whole response.
  func uploadEvents(
    for request: URLRequest, body: RequestBody
  ) -> AnyPublisher<UploadEvent, any Error> {
    let response = ResponseCollector(
      request: RequestSummary(request), limits: transport.limits, journal: scopedCall?.journal)
    return events(for: request, body: body)
      .through(UploadTail(response: response))
      .eraseToAnyPublisher()
  }
}

/// Passes on the progress, and appends the response.
private struct UploadTail: Publishers.Tail {
  private var response: ResponseCollector

  init(response: ResponseCollector) {
    self.response = response
  }

  /// - Throws: `RESTError` if the response exceeds a limit.
  mutating func receive(_ event: TransferEvent) throws -> Publishers.StageStep<UploadEvent> {
    switch event {
    case .sent(let progress):
      return .pass(.progress(progress))
    case .head(let head):
      response.take(head)
    case .chunk(let chunk):
      try response.take(chunk)
    }
    return .skip
  }

  func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> Publishers.TailEnd<UploadEvent, any Error> {
    guard case .finished = completion, let response = response.response else {
      return .end(completion)
    }
    return .value(.response(response))
  }
}
