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
      do throws(RESTError) {
        try response.take(chunk)
      } catch {
        throw response.response.map { failure(of: $0, after: error) } ?? error
      }
    }
    return .skip
  }

  func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> Publishers.TailEnd<UploadEvent, any Error> {
    guard let response = response.response else { return .end(completion) }
    switch completion {
    case .finished: return .value(.response(response))
    case .failure(let error): return .end(.failure(failure(of: response, after: error)))
    }
  }

  /// The status decides although the body cannot be read.
  private func failure(of response: RESTResponse, after error: any Error) -> any Error {
    guard let error = error as? RESTError, case .transport = error.kind,
      let fault = error.underlyingError as? TransportError
    else { return error }
    return response.recording(RESTError(unreadable: fault, of: response))
  }
}
