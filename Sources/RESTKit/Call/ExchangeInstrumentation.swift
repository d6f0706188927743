import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The instruments' work for the exchanges of one request, including redirects.
///
/// It is an object, so that it takes only one reference when there are no instruments.
final class ExchangeInstrumentation: Sendable {
  private let scopedCall: ScopedCall
  private let calls: [any InstrumentedCall]
  private let baseURL: String
  private let urlTemplate: String?

  private init(
    of scopedCall: ScopedCall, _ calls: [any InstrumentedCall], baseURL: String,
    urlTemplate: String?
  ) {
    self.scopedCall = scopedCall
    self.calls = calls
    self.baseURL = baseURL
    self.urlTemplate = urlTemplate
  }

  /// Returns the instruments' work for a verb's request; nil if there is no instrument.
  ///
  /// It is a function because an initializer would make the object before it returns nil.
  ///
  /// - Parameters:
  ///   - calls: The instruments' objects for the call.
  ///   - scopedCall: The call that the request belongs to, if there is one, with its scope.
  ///   - baseURL: The base URL of the API that makes the request.
  ///   - urlTemplate: The request's path without its values, if it is known.
  static func make(
    by calls: [any InstrumentedCall], for scopedCall: ScopedCall?, baseURL: String,
    urlTemplate: String?
  ) -> ExchangeInstrumentation? {
    guard let scopedCall, !calls.isEmpty else { return nil }
    return ExchangeInstrumentation(
      of: scopedCall, calls, baseURL: baseURL, urlTemplate: urlTemplate)
  }

  /// Returns the same work for another call.
  func apart(for observed: ObservedCall) -> ExchangeInstrumentation? {
    .make(
      by: observed.instrumented, for: observed.scopedCall, baseURL: baseURL,
      urlTemplate: urlTemplate)
  }

  /// Begins an exchange.
  ///
  /// - Parameter request: The request, which receives the header fields of the instruments.
  func begin(_ request: inout URLRequest, as sending: LogicalCall.Sending) -> InstrumentedRun {
    let time = scopedCall.call.elapsed
    let beginning = ExchangeBeginning(
      request: request, attempt: sending.attempt, cause: sending.cause,
      resendCount: sending.resends,
      // The server chose the path of a redirect's target.
      urlTemplate: sending.cause == .redirect ? nil : urlTemplate,
      isAtAPIOrigin: request.url.map(Origin.init) == URL(string: baseURL).map(Origin.init),
      time: time)
    var exchanges: [any InstrumentedExchange] = []
    for call in calls {
      var headers = HTTPHeaders()
      exchanges.append(call.beginExchange(beginning, adding: &headers))
      for (name, value) in headers { request.setIfAbsent(value, for: name) }
    }
    return InstrumentedRun(exchanges, of: scopedCall.call, since: time)
  }
}

/// An exchange that instruments observe, until its end.
final class InstrumentedRun: Sendable {
  private struct State: Sendable {
    /// The instruments' exchanges; empty after the end.
    var exchanges: [any InstrumentedExchange]
    var status: Int?
    var metrics: ExchangeMetrics?
  }

  private let call: LogicalCall
  /// The time since the call's beginning.
  private let begin: Duration
  private let state: Lock<State>

  fileprivate init(
    _ exchanges: [any InstrumentedExchange], of call: LogicalCall, since begin: Duration
  ) {
    self.call = call
    self.begin = begin
    state = Lock(State(exchanges: exchanges))
  }

  func note(status: Int) { state.withLock { $0.status = status } }

  func note(_ metrics: ExchangeMetrics) { state.withLock { $0.metrics = metrics } }

  /// Ends the exchange with a complete response.
  func end(_ response: RESTResponse) {
    end(status: response.statusCode, metrics: response.metrics)
  }

  func end(_ completion: Subscribers.Completion<any Error>) {
    switch completion {
    case .finished: end()
    case .failure(let error): end(failure: error)
    }
  }

  /// Ends the exchange early.
  ///
  /// After a redirect, its rest is not read.
  func cancel() { end(isCancelled: true) }

  private func end(
    status: Int? = nil, metrics: ExchangeMetrics? = nil, failure: (any Error)? = nil,
    isCancelled: Bool = false
  ) {
    let ended = state.withLock { state in
      defer { state.exchanges = [] }
      return state
    }
    guard !ended.exchanges.isEmpty else { return }
    let status = status ?? ended.status
    let isRedirect = status.map { 300...399 ~= $0 } ?? false
    let end = ExchangeEnd(
      status: status, failure: failure, isCancelled: isCancelled && !isRedirect,
      duration: call.elapsed - begin, metrics: metrics ?? ended.metrics)
    for exchange in ended.exchanges { exchange.end(end) }
  }
}

extension ExchangeBeginning {
  /// The exchange as attributes of OpenTelemetry's conventions for HTTP clients, without secrets.
  ///
  /// `http.request.method` is `_OTHER` for a method that is not in RFC 9110 or RFC 5789.
  /// `http.request.method_original` then has the method. `url.full` has no user info and no
  /// fragment, and `REDACTED` instead of each value of the query.
  public var attributes: [String: CallAttribute] {
    var attributes = CallEvent.attributes(of: RequestSummary(request))
    if let method = attributes["http.request.method"], !Self.isKnown(method) {
      attributes["http.request.method"] = .string("_OTHER")
      attributes["http.request.method_original"] = method
    }
    attributes["url.full"] = .string(Redaction.strict.text(of: request.url))
    attributes["url.template"] = urlTemplate.map(CallAttribute.string)
    attributes["http.request.resend_count"] = resendCount > 0 ? .integer(resendCount) : nil
    return attributes
  }

  private static func isKnown(_ method: CallAttribute) -> Bool {
    guard case .string(let name) = method else { return false }
    return knownMethods.contains(name)
  }

  private static let knownMethods: Set = [
    "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
  ]
}

extension ExchangeEnd {
  /// The end as attributes of OpenTelemetry's conventions for HTTP clients.
  public var attributes: [String: CallAttribute] {
    var attributes = CallEvent.attributes(of: metrics)
    attributes["http.response.status_code"] = status.map(CallAttribute.integer)
    attributes["error.type"] = errorType.map(CallAttribute.string)
    return attributes
  }
}
