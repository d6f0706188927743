import Streams

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
        if let error = memory.refusal(limit: policy.maxIDBytes, request: journal.request) {
          journal.record(error)
          return Fail(error: error).eraseToAnyPublisher()
        }
        return Publishers.Timed(
          events(of: draft, hasBody: hasBody).options { options in
            options.prepare { memory.resume(&$0) }
          },
          StreamSilence(policy, isTimed: stream.call.policy.scheduler.letsTimePass) { property in
            let fault = TransportError(
              kind: .timedOut, detail: property, mayHaveBeenProcessed: true)
            return RESTError(
              .transport(fault.kind), reason: fault.reason, remedy: fault.remedy,
              request: journal.request, underlyingError: fault)
          },
          scheduler: stream.call.policy.scheduler
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
