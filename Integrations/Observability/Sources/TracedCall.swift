import RESTKit
import Synchronization
import Tracing

/// The span of a call, and the parent of its exchanges' spans.
final class TracedCall: InstrumentedCall {
  /// The parent of its exchanges' spans.
  let context: ServiceContext
  /// Nil if the span of the only exchange stands for the call.
  private let span: (any Span)?
  /// The time at which the call began, in nanoseconds since the epoch.
  private let begin: UInt64
  private let tracer: any Tracer
  private let propagation: TracePropagation
  private let isNamed = Atomic(false)

  init(
    _ span: (any Span)?, in context: ServiceContext, since begin: UInt64, _ tracer: any Tracer,
    _ propagation: TracePropagation
  ) {
    self.span = span
    self.context = context
    self.begin = begin
    self.tracer = tracer
    self.propagation = propagation
  }

  func beginExchange(
    _ beginning: ExchangeBeginning, adding headers: inout HTTPHeaders
  ) -> any InstrumentedExchange {
    var attributes = beginning.attributes
    // In the conventions, this attribute is opt-in.
    attributes["url.scheme"] = nil
    let name = Self.name(of: attributes)
    nameCall(name, attributes)
    let start = begin + beginning.time.nanoseconds
    let exchange = tracer.startSpan(
      name, context: context, ofKind: .client, at: Timestamp(nanosecondsSinceEpoch: start))
    exchange.set(attributes)
    let injection = propagation.fields(of: exchange.context, for: beginning, by: tracer)
    for (name, value) in injection.fields { headers.append(name: name, value: value) }
    if let kept = injection.kept {
      exchange.addEvent(SpanEvent(name: "kept the request's own \(kept)"))
    }
    return TracedExchange(exchange, since: start)
  }

  func end(_ log: CallLog) {
    guard let span else { return }
    let attributes = log.attributes
    let attributesOfCall = Self.knowingMethods(attributes)
    nameCall(Self.name(of: attributesOfCall), attributesOfCall)
    span.set(attributes.filter { Self.attributesOfEnd.contains($0.key) })
    for event in log.events {
      let time = Timestamp(nanosecondsSinceEpoch: begin + event.time.nanoseconds)
      span.addEvent(SpanEvent(name: "\(event)", at: time))
    }
    span.setFailure(attributes["error.type"])
    span.end(at: Timestamp(nanosecondsSinceEpoch: begin + log.duration.nanoseconds))
  }

  private static let attributesOfEnd: Set = [
    "http.response.status_code", "http.request.resend_count", "error.type",
  ]

  private static let attributesOfCall: Set = [
    "http.request.method", "http.request.method_original", "server.address", "server.port",
    "url.template",
  ]

  /// Returns the attributes of a log, with `_OTHER` for a method that the conventions do not know.
  private static func knowingMethods(
    _ attributes: [String: CallAttribute]
  ) -> [String: CallAttribute] {
    guard let method = attributes["http.request.method"], !knownMethods.contains("\(method)") else {
      return attributes
    }
    return attributes.merging(
      ["http.request.method": .string("_OTHER"), "http.request.method_original": method]) { $1 }
  }

  private static let knownMethods: Set = [
    "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
  ]

  /// Gives the call's span the name and the attributes of its first exchange.
  ///
  /// Without an exchange, they are those of the request that the call would have sent.
  private func nameCall(_ name: String, _ attributes: [String: CallAttribute]) {
    guard let span, !isNamed.exchange(true, ordering: .relaxed) else { return }
    span.operationName = name
    span.set(attributes.filter { Self.attributesOfCall.contains($0.key) })
  }

  /// Returns a name with few possible values: the method, and the URL's template if there is one.
  private static func name(of attributes: [String: CallAttribute]) -> String {
    let method = attributes["http.request.method"].map { "\($0)" } ?? "_OTHER"
    let name = method == "_OTHER" ? "HTTP" : method
    return attributes["url.template"].map { "\(name) \($0)" } ?? name
  }
}

/// The span of an exchange.
private final class TracedExchange: InstrumentedExchange {
  private let span: any Span
  private let begin: UInt64

  init(_ span: any Span, since begin: UInt64) {
    self.span = span
    self.begin = begin
  }

  func end(_ end: ExchangeEnd) {
    let attributes = end.attributes
    span.set(attributes)
    span.setFailure(attributes["error.type"])
    span.end(at: Timestamp(nanosecondsSinceEpoch: begin + end.duration.nanoseconds))
  }
}

typealias Timestamp = DefaultTracerClock.Timestamp

extension Duration {
  /// The whole nanoseconds, or zero for a negative duration.
  var nanoseconds: UInt64 { UInt64(max(self / .nanoseconds(1), 0)) }
}

extension Span {
  fileprivate func set(_ new: [String: CallAttribute]) {
    var attributes = attributes
    for (name, value) in new { attributes[name] = value.spanAttribute }
    self.attributes = attributes
  }

  /// Marks the span as failed, unless the exchange was canceled.
  fileprivate func setFailure(_ type: CallAttribute?) {
    if let type, type != .string("cancelled") { setStatus(SpanStatus(code: .error)) }
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
