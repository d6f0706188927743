import RESTKit
import Streams
import Tracing

extension ObservedTransport {
  /// Makes a span of each call when it has ended, with an event for each thing that happened in it.
  ///
  /// Its name and attributes are those of OpenTelemetry's conventions for HTTP clients. It has no
  /// parent: a call runs where its transport runs, not in the task that asked for it.
  ///
  /// - Returns: Ends the tracing when it is cancelled or let go.
  public func traceCalls(with tracer: any Tracer) -> AnyCancellable {
    callLogs.sink { log in
      let end = DefaultTracerClock.now.nanosecondsSinceEpoch
      let begin = end - UInt64(max(log.duration / .nanoseconds(1), 0))
      let name = log.attributes["http.request.method"].map { "\($0)" } ?? "HTTP"
      let span = tracer.startSpan(
        name, context: .topLevel, ofKind: .client,
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
