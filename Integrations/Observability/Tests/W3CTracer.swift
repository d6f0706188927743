import Foundation
import Synchronization
import Tracing

/// The ids of a span in W3C Trace Context, with state and baggage.
struct W3CSpanID: Sendable {
  let trace: String
  let span: String
  let parent: String?
  var state: String?
  var baggage: String?

  enum Key: ServiceContextKey {
    typealias Value = W3CSpanID
  }

  static func hex(_ bytes: Int) -> String {
    (0..<bytes).map { _ in
      let byte = String(UInt8.random(in: 1...255), radix: 16)
      return byte.count == 1 ? "0\(byte)" : byte
    }.joined()
  }
}

/// A tracer that writes `traceparent`, `tracestate` and `baggage`, and keeps the spans that ended.
final class W3CTracer: Tracer {
  private let spans = Mutex<[W3CSpan]>([])

  var finished: [W3CSpan] { spans.withLock { $0 } }

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> W3CSpan {
    var context = context()
    let parent = context[W3CSpanID.Key.self]
    context[W3CSpanID.Key.self] = W3CSpanID(
      trace: parent?.trace ?? W3CSpanID.hex(16), span: W3CSpanID.hex(8), parent: parent?.span,
      state: parent?.state, baggage: parent?.baggage)
    return W3CSpan(operationName, kind: kind, in: context) { [self] span in
      spans.withLock { $0.append(span) }
    }
  }

  func forceFlush() {}

  func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    guard let id = context[W3CSpanID.Key.self] else { return }
    injector.inject("00-\(id.trace)-\(id.span)-01", forKey: "traceparent", into: &carrier)
    if let state = id.state { injector.inject(state, forKey: "tracestate", into: &carrier) }
    if let baggage = id.baggage { injector.inject(baggage, forKey: "baggage", into: &carrier) }
  }

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {}
}

/// A span of a `W3CTracer`.
final class W3CSpan: Span {
  private struct State: Sendable {
    var name: String
    var attributes: SpanAttributes = [:]
    var events: [SpanEvent] = []
    var isEnded = false
  }

  let context: ServiceContext
  let kind: SpanKind
  private let state: Mutex<State>
  private let onEnd: @Sendable (W3CSpan) -> Void

  init(
    _ name: String, kind: SpanKind, in context: ServiceContext,
    onEnd: @escaping @Sendable (W3CSpan) -> Void
  ) {
    self.context = context
    self.kind = kind
    state = Mutex(State(name: name))
    self.onEnd = onEnd
  }

  var id: W3CSpanID? { context[W3CSpanID.Key.self] }

  var events: [String] { state.withLock { $0.events.map(\.name) } }

  var operationName: String {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }

  var attributes: SpanAttributes {
    get { state.withLock { $0.attributes } }
    set { state.withLock { $0.attributes = newValue } }
  }

  var isRecording: Bool { state.withLock { !$0.isEnded } }

  func setStatus(_ status: SpanStatus) {}

  func addEvent(_ event: SpanEvent) { state.withLock { $0.events.append(event) } }

  func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {}

  func addLink(_ link: SpanLink) {}

  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    let isFirst = state.withLock { state in
      defer { state.isEnded = true }
      return !state.isEnded
    }
    if isFirst { onEnd(self) }
  }
}
