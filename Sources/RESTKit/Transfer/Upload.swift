import Streams

/// Passes on how much was sent, and collects the response.
struct UploadStage: Stage {
  let response: ResponseCollector

  /// - Throws: `RESTError` where the response goes over a limit.
  func receive(_ event: TransferEvent) throws -> StageStep<TransferProgress> {
    switch event {
    case .sent(let progress):
      return .pass(progress)
    case .head(let head):
      response.take(head)
    case .chunk(let chunk):
      try response.take(chunk)
    }
    return .skip
  }
}

/// Puts the response behind the progress.
struct UploadTail: Tail {
  let response: ResponseCollector

  func receive(_ progress: TransferProgress) -> UploadEvent? {
    .progress(progress)
  }

  func end(_ completion: Subscribers.Completion<any Error>) -> TailEnd<UploadEvent, any Error> {
    guard case .finished = completion, let response = response.response else {
      return .end(completion)
    }
    return .value(.response(response))
  }
}
