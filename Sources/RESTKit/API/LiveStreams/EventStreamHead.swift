import Foundation
import Streams

/// Looks at the head of an answer that is to be a stream of events (HTML, 9.2.2).
struct EventStreamHead: Publishers.Stage {
  let stream: LiveStream<ServerSentEvent>

  /// - Throws: `RESTError` where the answer is of another type.
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
  /// Whether it is a `Content-Type` of `text/event-stream`, whatever its parameters.
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
        ? "the answer has no Content-Type, and is to be text/event-stream"
        : "the answer is not text/event-stream by its Content-Type",
      remedy: "Check that the endpoint is one of server-sent events.", request: request, head: head,
      body: nil)
  }
}
