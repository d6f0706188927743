import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A splitter that makes events from the chunks of one connection.
struct EventStreamReader: Publishers.Splitter {
  private var parser: ServerSentEventParser
  private let memory: EventStreamMemory
  private let stream: LiveStream
  private var reconnectionTime: Duration?

  init(limit: Int, memory: EventStreamMemory, stream: LiveStream) {
    parser = ServerSentEventParser(limit: limit, lastEventID: memory.id)
    self.memory = memory
    self.stream = stream
  }

  mutating func receive(_ chunk: Data) throws(any Error) {
    parser.receive(chunk)
  }

  mutating func next() throws(any Error) -> ServerSentEvent? {
    do throws(LineError) {
      let event = try parser.next()
      memory.note(parser.lastEventID)
      if let time = parser.reconnectionTime, time != reconnectionTime {
        reconnectionTime = time
        stream.noteServerDelay(time)
      }
      return event
    } catch {
      throw RESTError(error, request: stream.call.journal.request)
    }
  }

  func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> Subscribers.Completion<any Error> {
    completion
  }
}

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

/// The state that one connection of an event stream passes to the next: the last id.
final class EventStreamMemory: Sendable {
  private let lastEventID: Lock<String>

  init(lastEventID: String) {
    self.lastEventID = Lock(lastEventID)
  }

  var id: String { lastEventID.withLock { $0 } }

  func note(_ id: String) { lastEventID.withLock { $0 = id } }

  /// Returns the reason why no request may follow the last event; nil if one may.
  ///
  /// - Parameters:
  ///   - limit: The maximum size of an id, in bytes.
  ///   - request: The last request of the stream; nil before the first.
  func refusal(limit: Int, request: RequestSummary?) -> RESTError? {
    let count = id.utf8.count
    guard count > limit else { return nil }
    return RESTError(
      .invalidRequest,
      reason:
        "the stream cannot reconnect: the id of its last event has \(count) bytes, but "
        + "ReconnectPolicy.maxIDBytes is \(limit)",
      remedy: "Have the server send shorter ids, or raise the limit if the server accepts them.",
      request: request)
  }

  /// Returns a request for a stream of events.
  func asking(_ request: URLRequest) -> URLRequest {
    var request = request
    request.setIfAbsent(["Accept": "text/event-stream", "Cache-Control": "no-cache"])
    // A stream may be silent for any time. The policy has the limit.
    request.timeoutInterval = .infinity
    return request
  }

  /// Makes a request ask for the events after the last one.
  func resume(_ request: inout URLRequest) -> String? {
    let id = id
    if !id.isEmpty, id.isFieldValue { request.replaceHeader("Last-Event-ID", with: id) }
    return nil
  }
}

extension String {
  /// Whether a header field can carry this text.
  fileprivate var isFieldValue: Bool {
    utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }
}
