import Streams

extension Publisher<TransferEvent, any Error> {
  /// Fails with an answer that is refused: its body is collected for the error, and nothing of it
  /// passes.
  ///
  /// - Parameters:
  ///   - response: Collects the answer.
  ///   - isRefused: Whether an answer is, by its head.
  func failing(
    with response: ResponseCollector,
    where isRefused: @escaping @Sendable (ResponseHead) -> Bool
  ) -> AnyPublisher<TransferEvent, any Error> {
    through(RefusedAnswerStage(response: response, isRefused: isRefused))
      .through(RefusedAnswerTail(response: response))
      .eraseToAnyPublisher()
  }
}

/// Keeps back all that is of a refused answer.
private struct RefusedAnswerStage: Stage {
  let response: ResponseCollector
  let isRefused: @Sendable (ResponseHead) -> Bool
  private var isCollecting = false

  init(response: ResponseCollector, isRefused: @escaping @Sendable (ResponseHead) -> Bool) {
    self.response = response
    self.isRefused = isRefused
  }

  /// - Throws: `RESTError` where the answer goes over a limit.
  mutating func receive(_ event: TransferEvent) throws -> StageStep<TransferEvent> {
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
}

/// Ends a refused answer as a failure.
private struct RefusedAnswerTail: Tail {
  let response: ResponseCollector

  func receive(_ event: TransferEvent) -> TransferEvent? { event }

  func end(_ completion: Subscribers.Completion<any Error>) -> TailEnd<TransferEvent, any Error> {
    guard case .finished = completion, let response = response.response else {
      return .end(completion)
    }
    return .end(.failure(response.recording(RESTError(unacceptable: response))))
  }
}
