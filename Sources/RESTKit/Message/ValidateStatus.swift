import Foundation
import Streams

extension Publisher where Output == RESTResponse {
  /// Fails with ``RESTError`` of kind ``RESTError/Kind/status(_:)`` if the status is not accepted.
  ///
  /// The error has the response's head, its body and its problem document.
  ///
  /// - Parameter accepted: The accepted statuses.
  public func validateStatus(
    _ accepted: ClosedRange<Int> = 200...299
  ) -> Publishers.TryMap<Self, RESTResponse, any Error> {
    tryMap { response in
      try response.requireStatus(accepted)
      return response
    }
  }
}

extension RESTResponse {
  /// - Throws: `RESTError` of kind `status` if the status is not accepted.
  func requireStatus(_ accepted: ClosedRange<Int>) throws(RESTError) {
    guard accepted ~= statusCode else { throw recording(RESTError(unacceptable: self)) }
  }
}

extension Publisher where Output == TransferEvent {
  /// Fails with ``RESTError`` of kind ``RESTError/Kind/status(_:)`` if the status is not accepted.
  ///
  /// The error has the response's head, its body and its problem document.
  ///
  /// No part of such a response passes. Its body is collected for the error, up to
  /// ``RESTError/maximumBodyLength``, and then the exchange is cancelled. A body that ends early fails
  /// as usual.
  ///
  /// - Parameter accepted: The accepted statuses.
  public func validateStatus(
    _ accepted: ClosedRange<Int> = 200...299
  ) -> AnyPublisher<TransferEvent, any Error> {
    mapError { $0 as any Error }
      .through(EventStatusTail(accepted: accepted))
      .eraseToAnyPublisher()
  }
}

/// Holds back a response with another status, and ends it as a failure.
private struct EventStatusTail: Publishers.Tail {
  let accepted: ClosedRange<Int>
  private var refused: ResponseHead?
  private var body = Data()

  init(accepted: ClosedRange<Int>) {
    self.accepted = accepted
  }

  /// - Throws: `RESTError` if the body exceeds the maximum of an error.
  mutating func receive(
    _ event: TransferEvent
  ) throws(any Error) -> Publishers.StageStep<TransferEvent> {
    switch event {
    case .head(let head):
      // A retry may have replaced an earlier response.
      body = Data()
      refused = accepted ~= head.statusCode ? nil : head
      return refused == nil ? .pass(event) : .skip
    case .chunk(let chunk):
      guard let refused else { return .pass(event) }
      body.append(chunk)
      guard body.count <= RESTError.maximumBodyLength else {
        throw RESTError(unacceptable: refused, body: body)
      }
      return .skip
    default:
      return .pass(event)
    }
  }

  func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> Publishers.TailEnd<TransferEvent, any Error> {
    guard case .finished = completion, let refused else { return .end(completion) }
    return .end(.failure(RESTError(unacceptable: refused, body: body)))
  }
}
