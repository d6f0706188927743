import Foundation
import Streams

/// Checks the head of a response that has to be a stream of events (HTML, 9.2.2).
struct EventStreamHead: Publishers.Stage {
  let stream: LiveStream

  /// - Throws: `RESTError` if the response has another type.
  func receive(
    _ event: TransferEvent
  ) throws(any Error) -> Publishers.StageStep<TransferEvent> {
    guard case .head(let head) = event else { return .pass(event) }
    switch head.statusCode {
    case 204:
      stream.noteEnd()
      return .finish
    case 200:
      let type = head.headers["Content-Type"] ?? ""
      guard type.isEventStream else {
        let journal = stream.call.journal
        throw RESTError(notEventStream: type, head: head, request: journal.request)
          .recorded(in: journal)
      }
      stream.noteOpening()
      return .pass(event)
    default: return .pass(event)
    }
  }
}

extension String {
  /// Whether this is a `Content-Type` of `text/event-stream`, with any parameters.
  fileprivate var isEventStream: Bool {
    let type = prefix { $0 != ";" && $0 != "," }.trimmingCharacters(in: .whitespaces)
    return type.lowercased() == "text/event-stream"
  }
}

extension RESTError {
  fileprivate init(notEventStream type: String, head: ResponseHead, request: RequestSummary?) {
    self.init(
      .malformedResponse,
      reason: type.isEmpty
        ? "the response has no Content-Type, but must be text/event-stream"
        : "the response's Content-Type is not text/event-stream",
      remedy: "Check that the endpoint sends server-sent events.", request: request, head: head,
      body: nil)
  }
}
