import RESTKit
import Streams
import Tracing

extension ObservedTransport {
  /// Traces each call and each of its exchanges by OpenTelemetry's stable conventions for HTTP clients.
  ///
  /// An exchange is a span of kind client, which begins before its request leaves and ends with its
  /// response's last byte, a failure or a cancel. Above it stands a span of kind internal for the call,
  /// where that may send more than one request: a span gets its parent when it begins, so a retry, a
  /// session or a redirect needs the call's span before it is known whether there is a second request.
  /// Only a verb of an API whose ``RESTAPI/redirects`` is `never`, which nobody retries or authorizes, has
  /// its exchange's span alone.
  ///
  /// The parent of a call's span is the context that ``Streams/Publisher/serviceContext(_:)`` gives, or else
  /// that of the task that subscribes. A refresh that a session runs has a call's span of its own: its parent is
  /// the call that began it.
  ///
  /// Each exchange injects its own span's context into its request, as the propagation says.
  ///
  /// - Parameters:
  ///   - tracer: What makes the spans.
  ///   - propagation: Which requests carry the context of the trace, and how much of it.
  /// - Returns: Ends the tracing of further calls when it is cancelled or let go.
  public func traceCalls(
    with tracer: any Tracer, propagation: TracePropagation = TracePropagation()
  ) -> AnyCancellable {
    instrument(with: CallTracer(tracer, propagation: propagation))
  }
}

/// Begins a span for each call and each exchange.
private final class CallTracer: CallInstrument {
  private let tracer: any Tracer
  private let propagation: TracePropagation

  init(_ tracer: any Tracer, propagation: TracePropagation) {
    self.tracer = tracer
    self.propagation = propagation
  }

  func beginCall(_ beginning: CallBeginning) -> any InstrumentedCall {
    let begin = DefaultTracerClock.now.nanosecondsSinceEpoch - beginning.age.nanoseconds
    let parent =
      (beginning.parent as? TracedCall)?.context ?? beginning.context[ParentContextKey.self]
      ?? .topLevel
    guard beginning.mayRepeat else {
      return TracedCall(nil, in: parent, since: begin, tracer, propagation)
    }
    let span = tracer.startSpan(
      "HTTP", context: parent, ofKind: .internal, at: Timestamp(nanosecondsSinceEpoch: begin))
    return TracedCall(span, in: span.context, since: begin, tracer, propagation)
  }
}
