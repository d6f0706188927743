import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What one connection of a stream of events leaves to the next: the last id.
final class EventStreamMemory: Sendable {
  private let lastEventID: Lock<String>

  init(lastEventID: String) {
    self.lastEventID = Lock(lastEventID)
  }

  var id: String { lastEventID.withLock { $0 } }

  func note(_ id: String) { lastEventID.withLock { $0 = id } }

  /// A request for what follows the last event.
  func asking(_ request: URLRequest) -> URLRequest {
    var request = request
    request.setIfAbsent(["Accept": "text/event-stream", "Cache-Control": "no-cache"])
    // A stream may be silent for any time; the policy says for how long.
    request.timeoutInterval = .infinity
    let id = id
    if !id.isEmpty, id.isFieldValue { request.replaceHeader("Last-Event-ID", with: id) }
    return request
  }
}

extension String {
  /// Whether a header can carry it.
  fileprivate var isFieldValue: Bool {
    utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }
}

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
        throw RESTError(
          notEventStream: type, head: head, request: stream.call.journal.request)
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

/// Makes events of the chunks of one connection.
struct EventStreamReader: Publishers.Splitter {
  private var parser: ServerSentEventParser
  private let memory: EventStreamMemory
  private let stream: LiveStream<ServerSentEvent>
  private var reconnectionTime: Duration?

  init(limit: Int, memory: EventStreamMemory, stream: LiveStream<ServerSentEvent>) {
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
      throw RESTError(error)
    }
  }

  func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> Subscribers.Completion<any Error> {
    completion
  }
}

extension RequestSender {
  /// The events of a stream, connection after connection.
  ///
  /// - Parameters:
  ///   - policy: When it is asked for again.
  ///   - retry: The retry policy of the API.
  ///   - lastEventID: Where the stream begins; empty for where the server does.
  ///   - limit: The most bytes of a line, and of an event's data.
  ///   - hasBody: Whether the request has one.
  ///   - draft: Makes the request of what is put on it before anything else.
  func serverSentEvents(
    _ policy: ReconnectPolicy, retry: RetryPolicy?, lastEventID: String, limit: Int, hasBody: Bool,
    draft: @escaping @Sendable (@escaping RequestModifier) -> RequestDraft
  ) -> AnyPublisher<ServerSentEvent, any Error> {
    LiveStream.publisher(policy, retry: retry) {
      let memory = EventStreamMemory(lastEventID: lastEventID)
      let draft = draft { memory.asking($0) }
      return { stream in
        Publishers.Timed(
          events(of: draft, hasBody: hasBody),
          StreamSilence(policy) { property in
            let fault = TransportError(
              kind: .timedOut, detail: property, mayHaveBeenProcessed: true)
            return RESTError(
              .transport(fault.kind), reason: fault.reason, remedy: fault.remedy,
              request: stream.call.journal.request, underlyingError: fault)
          },
          scheduler: stream.retry.scheduler
        )
        .through(EventStreamHead(stream: stream))
        .validateStatus(200...200)
        .bodyChunks
        .through(EventStreamReader(limit: limit, memory: memory, stream: stream))
        .eraseToAnyPublisher()
      }
    }
  }
}
