import Foundation
import Streams

extension Publisher where Output == TransferEvent {
  /// Fails with ``RESTError`` of kind ``RESTError/Kind/status(_:)`` where the status is not one of
  /// those accepted; the error keeps the response's head, its body and its problem document.
  ///
  /// Nothing of such an answer passes: its body is collected for the error, up to
  /// ``RESTError/maximumBodyLength``, where the exchange is cancelled. A body that ends early fails as it
  /// does elsewhere.
  ///
  /// - Parameter accepted: The statuses to let through.
  public func validateStatus(
    _ accepted: ClosedRange<Int> = 200...299
  ) -> AnyPublisher<TransferEvent, any Error> {
    mapError { $0 as any Error }
      .through(EventStatusTail(accepted: accepted))
      .eraseToAnyPublisher()
  }
}

/// Keeps back all that is of an answer with another status, and ends it as a failure.
private struct EventStatusTail: Publishers.Tail {
  let accepted: ClosedRange<Int>
  private var refused: ResponseHead?
  private var body = Data()

  init(accepted: ClosedRange<Int>) {
    self.accepted = accepted
  }

  /// - Throws: `RESTError` where the body is longer than an error keeps.
  mutating func receive(
    _ event: TransferEvent
  ) throws(any Error) -> Publishers.StageStep<TransferEvent> {
    switch event {
    case .head(let head):
      // A retry may have put another answer in the place of one.
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
