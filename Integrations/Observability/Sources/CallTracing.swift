import RESTKit
import Streams
import Synchronization
import Tracing

extension ObservedTransport {
  /// Makes a span of each call when it has ended, with an event for each thing that happened in it.
  ///
  /// Its name and attributes are those of OpenTelemetry's conventions for HTTP clients. Its parent is
  /// the span of the task that begins the call; there is none for a call that is not begun in a task,
  /// or that waits for a session's token before its first request.
  ///
  /// - Returns: Ends the tracing when it is cancelled or let go.
  public func traceCalls(with tracer: any Tracer) -> AnyCancellable {
    let parents = CallParents()
    let beginnings = callEvents.sink { event in
      if case .built = event.kind { parents.noteRequest(of: event.call) }
    }
    let ends = callLogs.sink { log in
      let parent = parents.take(of: log.number)
      let end = DefaultTracerClock.now.nanosecondsSinceEpoch
      let begin = end - UInt64(max(log.duration / .nanoseconds(1), 0))
      let name = log.attributes["http.request.method"].map { "\($0)" } ?? "HTTP"
      let span = tracer.startSpan(
        name, context: parent, ofKind: .client,
        at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: begin))
      for (key, value) in log.attributes { span.attributes[key] = value.spanAttribute }
      for event in log.events {
        let time = begin + UInt64(max(event.time / .nanoseconds(1), 0))
        span.addEvent(
          SpanEvent(
            name: "\(event)", at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: time)))
      }
      if log.attributes["error.type"] != nil { span.setStatus(SpanStatus(code: .error)) }
      span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: end))
    }
    return AnyCancellable {
      beginnings.cancel()
      ends.cancel()
    }
  }
}

/// What calls that have not ended were begun in, by their numbers.
private final class CallParents: Sendable {
  private let contexts = Mutex<[Int: ServiceContext]>([:])

  /// Called where the request is made: the first one of a call, in the task that begins it.
  func noteRequest(of call: Int) {
    let current = ServiceContext.current ?? .topLevel
    contexts.withLock { contexts in
      if contexts[call] == nil { contexts[call] = current }
    }
  }

  func take(of call: Int) -> ServiceContext {
    contexts.withLock { $0.removeValue(forKey: call) } ?? .topLevel
  }
}

extension CallAttribute {
  fileprivate var spanAttribute: SpanAttribute {
    switch self {
    case .string(let text): .string(text)
    case .integer(let number): .int64(Int64(number))
    }
  }
}
