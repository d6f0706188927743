import Streams

extension Publisher<TransferEvent, any Error> {
  /// Fails with a response that is refused.
  ///
  /// Its body is collected for the error, and nothing of it passes.
  ///
  /// - Parameters:
  ///   - response: The collector of the response.
  ///   - isRefused: A closure that decides from the head whether a response is refused.
  func failing(
    with response: ResponseCollector,
    where isRefused: @escaping @Sendable (ResponseHead) -> Bool
  ) -> AnyPublisher<TransferEvent, any Error> {
    through(RefusedAnswerTail(response: response, isRefused: isRefused))
      .eraseToAnyPublisher()
  }
}

/// Holds back a refused response, and ends it as a failure.
private struct RefusedAnswerTail: Publishers.Tail {
  private var response: ResponseCollector
  private let isRefused: @Sendable (ResponseHead) -> Bool
  private var isCollecting = false

  init(response: ResponseCollector, isRefused: @escaping @Sendable (ResponseHead) -> Bool) {
    self.response = response
    self.isRefused = isRefused
  }

  /// - Throws: `RESTError` if the response exceeds a limit.
  mutating func receive(_ event: TransferEvent) throws -> Publishers.StageStep<TransferEvent> {
    switch event {
    case .head(let head) where isRefused(head):
      isCollecting = true
      response.take(head)
    case .chunk(let chunk) where isCollecting:
      try response.take(chunk)
    default:
      return .pass(event)
    }
    return .skip
  }

  func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> Publishers.TailEnd<TransferEvent, any Error> {
    guard case .finished = completion, let response = response.response else {
      return .end(completion)
    }
    return .end(.failure(response.recording(RESTError(unacceptable: response))))
  }
}
