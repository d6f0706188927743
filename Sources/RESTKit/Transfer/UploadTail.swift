import Foundation
import Streams

/// Passes on what was sent, and then the response as a whole.
struct UploadTail: Tail {
  let request: RequestSummary
  private var head: ResponseHead?
  private var data = Data()

  init(request: RequestSummary) {
    self.request = request
  }

  mutating func receive(_ event: TransferEvent) -> UploadEvent? {
    switch event {
    case .sent(let progress): return .progress(progress)
    case .head(let head): self.head = head
    case .chunk(let chunk): data.append(chunk)
    }
    return nil
  }

  mutating func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> TailEnd<UploadEvent, any Error> {
    guard case .finished = completion, let head else { return .end(completion) }
    return .value(.response(RESTResponse(head: head, data: data, request: request)))
  }
}
