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

extension Publisher where Output == UploadEvent {
  /// Fails with ``RESTError`` of kind ``RESTError/Kind/status(_:)`` if the status of the upload's
  /// response is not accepted.
  ///
  /// The progress passes. The error has the response's head, its body and its problem document.
  ///
  /// - Parameter accepted: The accepted statuses.
  public func validateStatus(
    _ accepted: ClosedRange<Int> = 200...299
  ) -> Publishers.TryMap<Self, UploadEvent, any Error> {
    tryMap { event in
      try event.response?.requireStatus(accepted)
      return event
    }
  }
}

extension RESTResponse {
  /// - Throws: `RESTError` of kind `status` if the status is not accepted.
  package func requireStatus(_ accepted: ClosedRange<Int>) throws(RESTError) {
    guard accepted ~= statusCode else { throw recording(RESTError(unacceptable: self)) }
  }
}

extension Publisher where Output == TransferEvent {
  /// Fails with ``RESTError`` of kind ``RESTError/Kind/status(_:)`` if the status is not accepted.
  ///
  /// The error has the response's head, its body and its problem document.
  ///
  /// No part of such a response passes. Its body is collected for the error, up to
  /// ``RESTError/maximumBodyLength`` and for ten seconds, and then the exchange is cancelled. If
  /// the body is cut, the error has the part that came: the status and a `Retry-After` are known.
  ///
  /// - Parameter accepted: The accepted statuses.
  public func validateStatus(
    _ accepted: ClosedRange<Int> = 200...299
  ) -> AnyPublisher<TransferEvent, any Error> {
    mapError { $0 as any Error }
      .through(
        RefusedResponseTail(
          ExcerptedResponse { RESTError(unacceptable: $0, body: $1) }, toleratesCut: true
        ) { !(accepted ~= $0.statusCode) }
      )
      .eraseToAnyPublisher()
  }
}

/// Collects a response that a pipeline refuses, for the error that it becomes.
package protocol RefusedResponse: Sendable {
  mutating func take(_ head: ResponseHead)

  /// - Throws: `RESTError` if the body exceeds a limit.
  mutating func take(_ chunk: Data) throws(RESTError)

  /// The error; nil before the head.
  var failure: RESTError? { get }
}

/// Holds back a response that is refused for its head, and ends it as a failure.
package struct RefusedResponseTail<Response: RefusedResponse>: Publishers.Tail {
  private var response: Response
  private let isRefused: @Sendable (ResponseHead) -> Bool
  /// Whether the head decides although the body was cut.
  private let toleratesCut: Bool
  private let now: @Sendable () -> ContinuousClock.Instant
  /// The end of the time for the body of a refused response; nil for another one.
  private var end: ContinuousClock.Instant?

  private var isCollecting: Bool { end != nil }

  /// The time that the body may take.
  ///
  /// A server that sends a byte now and then would never be silent for too long.
  static var limit: Duration { .seconds(10) }

  /// - Parameters:
  ///   - toleratesCut: Whether the error is that of the head if the exchange fails in the body.
  ///   - isRefused: A closure that returns whether a head is refused.
  package init(
    _ response: Response, toleratesCut: Bool = false,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    isRefused: @escaping @Sendable (ResponseHead) -> Bool
  ) {
    self.response = response
    self.toleratesCut = toleratesCut
    self.now = now
    self.isRefused = isRefused
  }

  /// - Throws: `RESTError` if the body of the refused response exceeds a limit of size or time.
  package mutating func receive(
    _ event: TransferEvent
  ) throws(any Error) -> Publishers.StageStep<TransferEvent> {
    switch event {
    case .head(let head):
      // A retry may have replaced an earlier response.
      end = isRefused(head) ? now() + Self.limit : nil
      guard isCollecting else { return .pass(event) }
      response.take(head)
    case .chunk(let chunk):
      guard let end else { return .pass(event) }
      do throws(RESTError) {
        try response.take(chunk)
      } catch {
        throw failure(after: error) ?? error
      }
      if end <= now(), let failure = response.failure { throw failure }
    default:
      return .pass(event)
    }
    return .skip
  }

  package func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> Publishers.TailEnd<TransferEvent, any Error> {
    guard isCollecting else { return .end(completion) }
    switch completion {
    case .finished:
      return response.failure.map { .end(.failure($0)) } ?? .end(completion)
    case .failure(let error):
      return failure(after: error).map { .end(.failure($0)) } ?? .end(completion)
    }
  }

  /// The error of the head, beside the fault of the body; nil if the head does not decide.
  private func failure(after error: any Error) -> RESTError? {
    guard toleratesCut, let fault = (error as? RESTError)?.underlyingError as? TransportError else {
      return nil
    }
    return response.failure?.beside(fault)
  }
}

/// A refused response, of which the error keeps no more than its maximum.
package struct ExcerptedResponse: RefusedResponse {
  private let error: @Sendable (ResponseHead, Data) -> RESTError
  private var head: ResponseHead?
  private var body = Data()

  /// - Parameter error: A closure that makes the error of the response.
  package init(error: @escaping @Sendable (ResponseHead, Data) -> RESTError) {
    self.error = error
  }

  package mutating func take(_ head: ResponseHead) {
    self.head = head
    body = Data()
  }

  package mutating func take(_ chunk: Data) throws(RESTError) {
    body.append(chunk)
    if body.count > RESTError.maximumBodyLength, let failure { throw failure }
  }

  package var failure: RESTError? { head.map { error($0, body) } }
}
