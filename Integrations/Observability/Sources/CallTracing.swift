import RESTKit
import Streams
import Tracing

extension ObservedTransport {
  /// Traces each call and each of its exchanges with OpenTelemetry's stable conventions for HTTP
  /// clients.
  ///
  /// An exchange is a span of kind client. It begins before the request leaves, and ends with the
  /// response's last byte, a failure or a cancel. If a call may send more than one request, its
  /// exchanges have a parent span of kind internal for the call. A span gets its parent when it
  /// begins, so a retry, a session or a redirect needs the call's span before a second request is
  /// certain. A call has no span of its own only if it is a verb without retries and authorization,
  /// of an API whose ``RESTAPI/redirects`` is `never`.
  ///
  /// The parent of a call's span is the context of ``Streams/Publisher/serviceContext(_:)``, or
  /// else the context of the task that subscribes. A session's refresh has its own call span. The
  /// parent of that span is the call that began the refresh.
  ///
  /// Each exchange injects its own span's context into its request, as the propagation defines.
  ///
  /// - Parameters:
  ///   - tracer: The tracer that creates the spans.
  ///   - propagation: The requests that carry the context of the trace, and the parts of it that
  ///     they carry.
  /// - Returns: A cancellable that ends the tracing of further calls when it is canceled or
  ///   released.
  public func traceCalls(
    with tracer: any Tracer, propagation: TracePropagation = TracePropagation()
  ) -> AnyCancellable {
    instrument(with: CallTracer(tracer, propagation: propagation))
  }
}

/// An instrument that begins a span for each call and each exchange.
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
