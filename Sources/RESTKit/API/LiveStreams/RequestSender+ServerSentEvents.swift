import Streams

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
        let journal = stream.call.journal
        if let error = memory.refusal(limit: policy.maxIDBytes, request: journal.request) {
          journal.record(error)
          return Fail(error: error).eraseToAnyPublisher()
        }
        return Publishers.Timed(
          events(of: draft, hasBody: hasBody).underAuthorizingSession,
          StreamSilence(policy, isTimed: stream.retry.scheduler.letsTimePass) { property in
            let fault = TransportError(
              kind: .timedOut, detail: property, mayHaveBeenProcessed: true)
            return RESTError(
              .transport(fault.kind), reason: fault.reason, remedy: fault.remedy,
              request: journal.request, underlyingError: fault)
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
