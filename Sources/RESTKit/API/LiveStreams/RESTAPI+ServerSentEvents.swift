import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RESTAPI {
  /// Requests a stream of server-sent events (HTML, 9.2), and requests it again each time it ends
  /// or breaks.
  ///
  /// Each connection carries the `Last-Event-ID` of the last event. It also carries the current
  /// token if the API has a session, or if a session authorizes the stream downstream. A 401 allows
  /// one refresh for each connection. A sign-out does not end an open connection, but no other
  /// connection follows it: cancel the stream to end it. In the wait between two connections, it
  /// fails the stream at once. Redirects are followed as for other verbs.
  /// The log of a failure shows each connection and its cause.
  ///
  /// A request whose method is not one of ``RetryPolicy/methods``, such as `POST`, is sent once,
  /// unless it has an `Idempotency-Key`. The end of its response finishes the stream, and a break
  /// fails it.
  ///
  /// - Demand: An event is delivered when there is demand for it. Without demand, or while the
  ///   subscriber is busy with an event, up to 16 chunks wait here and 128 KiB in the transport.
  ///   Then the transport stops reading, if it can, and so the server stops sending.
  /// - Errors: ``RESTError`` of kind ``RESTError/Kind/status(_:)`` for a status other than 200 and
  ///   204; of kind ``RESTError/Kind/malformedResponse`` for a `Content-Type` other than
  ///   `text/event-stream`, with the body as for a status, and for a line or an event over the
  ///   limit; of kind ``RESTError/Kind/invalidRequest`` if the last id is longer than
  ///   ``ReconnectPolicy/maxIDBytes``; ``TokenSessionError`` if the session has no token. Transient
  ///   statuses and faults, also those of a refresh, fail the stream only when the policy and its
  ///   budget allow no further connection.
  /// - Completion: With a 204, or with the end of a response that is not requested again.
  /// - Cancellation: Ends the connection, or the wait for the next one, at once.
  /// - Delivery: On the scheduler of the policy's ``ReconnectPolicy/retry``, or on the thread that
  ///   adds demand.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - endpoint: The path below the base URL. A leading `/` makes no difference.
  ///   - query: The names and values of the query, not encoded.
  ///   - headers: The header fields of each request. They replace `Accept`, but not
  ///     `Last-Event-ID`.
  ///   - body: The body; nil for none.
  ///   - lastEventID: The id of the last known event; empty for none.
  ///   - policy: The policy that decides when the stream reconnects, and how long it may be silent.
  ///   - limit: The maximum size, in bytes, of a line and of an event's data.
  ///   - authorization: Whether the requests carry the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: A closure that changes each request before it is sent. It sees `Accept`
  ///     and a `timeoutInterval` without a limit. `Last-Event-ID` is set after it, or removed if the
  ///     server has cleared the id.
  public func serverSentEvents(
    _ method: HTTPMethod = .get, endpoint: String, query: QueryItems = [],
    headers: HTTPHeaders = [:], body: RequestBody? = nil, lastEventID: String = "",
    reconnecting policy: ReconnectPolicy = ReconnectPolicy(), limit: Int = 1 << 20,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<ServerSentEvent, any Error> {
    let base = RequestBase(self)
    return RequestSender(for: self).serverSentEvents(
      policy, retry: retry, lastEventID: lastEventID, limit: limit, hasBody: body != nil
    ) { ask in
      RequestDraft(
        method, of: base, endpoint: endpoint, query: query, headers: headers, body: body,
        authorization: authorization
      ) { requestModifier(ask($0)) }
    }
  }
}

extension RequestSender {
  /// Returns a publisher of the events of a stream, over all its connections.
  ///
  /// - Parameters:
  ///   - policy: The policy that decides when the stream reconnects.
  ///   - retry: The retry policy of the API.
  ///   - lastEventID: The id of the last known event; empty for none.
  ///   - limit: The maximum size, in bytes, of a line and of an event's data.
  ///   - hasBody: Whether the request has a body.
  ///   - draft: A closure that makes the request from a modifier, which runs before any other.
  func serverSentEvents(
    _ policy: ReconnectPolicy, retry: RetryPolicy?, lastEventID: String, limit: Int, hasBody: Bool,
    draft: @escaping @Sendable (@escaping RequestModifier) -> RequestDraft
  ) -> AnyPublisher<ServerSentEvent, any Error> {
    LiveStream.publisher(policy, retry: retry) {
      let memory = EventStreamMemory(lastEventID: lastEventID)
      let draft = draft { memory.asking($0) }
      return { stream in
        let journal = stream.call.journal
        stream.noteID(isLost: memory.isLost)
        if let error = memory.refusal(limit: policy.maxIDBytes, request: journal.request) {
          journal.record(error)
          return Fail(error: error).eraseToAnyPublisher()
        }
        let otherType = ExcerptedResponse { head, body in
          let error = RESTError(notEventStream: head, body: body, request: journal.request)
          journal.record(error)
          return error
        }
        return SilenceLimit(
          events: events(of: draft, hasBody: hasBody).options { options in
            options.prepare { memory.resume(&$0) }
          },
          rules: StreamSilence.Rules(policy) {
            $0.statusCode == 200 && $0.isEventStream
          } request: {
            journal.request
          },
          scheduler: stream.call.limitScheduler, isOnScheduler: true
        )
        .through(
          RefusedResponseTail(otherType, toleratesCut: true) {
            $0.statusCode == 200 && !$0.isEventStream
          }
        )
        .through(EventStreamHead(stream: stream))
        .through(
          RefusedResponseTail(
            ExcerptedResponse { RESTError(unacceptable: $0, body: $1) }, toleratesCut: true
          ) { $0.statusCode != 200 }
        )
        .bodyChunks
        .through(
          ServerSentEventSplitter(
            limit: limit, lastEventID: memory.id,
            noteID: { id in
              memory.note(id)
              stream.noteID(isLost: memory.isLost)
            },
            noteDelay: { stream.noteServerDelay($0) },
            failure: { RESTError($0, request: stream.call.journal.request) })
        )
        .eraseToAnyPublisher()
      }
    }
  }
}

/// Tells a stream what the head of a response means (HTML, 9.2.2).
private struct EventStreamHead: Publishers.Stage {
  let stream: LiveStream

  func receive(
    _ event: TransferEvent
  ) throws(any Error) -> Publishers.StageStep<TransferEvent> {
    guard case .head(let head) = event else { return .pass(event) }
    switch head.statusCode {
    case 204:
      stream.noteEnd()
      return .finish
    case 200:
      stream.noteOpening()
      return .pass(event)
    default: return .pass(event)
    }
  }
}

extension ResponseHead {
  /// Whether its `Content-Type` is `text/event-stream`, with any parameters.
  var isEventStream: Bool {
    mediaType == "text/event-stream"
  }
}

extension StreamSilence.Rules {
  /// - Parameters:
  ///   - isStream: A closure that returns whether a head begins the stream.
  ///   - request: A closure that returns the last request of the stream.
  init(
    _ policy: ReconnectPolicy, isStream: @escaping @Sendable (ResponseHead) -> Bool,
    request: @escaping @Sendable () -> RequestSummary?
  ) {
    self.init(
      limit: { $0 == .stream ? policy.silence : policy.responseTimeout }, isStream: isStream,
      failure: { phase in
        let property = phase == .stream ? "silence" : "responseTimeout"
        return RESTError(silence: "ReconnectPolicy.\(property)", request: request())
      })
  }
}

extension RESTError {
  /// Makes the error of a server that was silent for too long.
  ///
  /// - Parameter detail: What limits the silence.
  init(silence detail: String, request: RequestSummary?) {
    let fault = TransportError(kind: .timedOut, detail: detail, mayHaveBeenProcessed: true)
    self.init(
      .transport(fault.kind), reason: fault.reason, remedy: fault.remedy, request: request,
      underlyingError: fault)
  }
}

extension RESTError {
  fileprivate init(notEventStream head: ResponseHead, body: Data, request: RequestSummary?) {
    self.init(
      .malformedResponse,
      reason: head.headers["Content-Type"]?.isEmpty ?? true
        ? "the response has no Content-Type, but must be text/event-stream"
        : "the response's Content-Type is not text/event-stream",
      remedy: "Check that the endpoint sends server-sent events.", request: request, head: head,
      body: body)
  }
}

/// The state that one connection of an event stream passes to the next: the last id.
private final class EventStreamMemory: Sendable {
  /// The last id; empty if it was cleared; nil if there was none.
  private let lastEventID: Lock<String?>

  init(lastEventID: String) {
    self.lastEventID = Lock(lastEventID.isEmpty ? nil : lastEventID)
  }

  var id: String { lastEventID.withLock { $0 } ?? "" }

  func note(_ id: String) { lastEventID.withLock { $0 = id } }

  /// Whether no header field can carry the last id.
  var isLost: Bool { !id.isFieldValue }

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
  func resume(_ request: inout URLRequest) -> Resumption? {
    guard let id = lastEventID.withLock({ $0 }) else { return nil }
    // The request's own field would be another place.
    request.replaceHeader("Last-Event-ID", with: id.isEmpty || !id.isFieldValue ? nil : id)
    return nil
  }
}

extension String {
  /// Whether a header field can carry this text.
  fileprivate var isFieldValue: Bool {
    utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }
}
