import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What instruments have to do with the exchanges of one request, redirects included: an object, since
/// it is one reference then where there is none.
final class ExchangeInstrumentation: Sendable {
  private let part: CallPart
  private let calls: [any InstrumentedCall]
  private let baseURL: String
  private let urlTemplate: String?

  private init(
    of part: CallPart, _ calls: [any InstrumentedCall], baseURL: String, urlTemplate: String?
  ) {
    self.part = part
    self.calls = calls
    self.baseURL = baseURL
    self.urlTemplate = urlTemplate
  }

  /// What instruments have to do with a verb's request; nil where there is no instrument.
  ///
  /// A function and no initializer, which would have made the object before it gives up.
  ///
  /// - Parameters:
  ///   - baseURL: That of the API that makes the request.
  ///   - urlTemplate: The request's path without its values, if that is known.
  static func make(
    for observed: ObservedCall, baseURL: @autoclosure () -> String, urlTemplate: String?
  ) -> ExchangeInstrumentation? {
    guard let part = observed.call, !observed.instrumented.isEmpty else { return nil }
    return ExchangeInstrumentation(
      of: part, observed.instrumented, baseURL: baseURL(), urlTemplate: urlTemplate)
  }

  /// The same for the sake of another call.
  func apart(for observed: ObservedCall) -> ExchangeInstrumentation? {
    .make(for: observed, baseURL: baseURL, urlTemplate: urlTemplate)
  }

  /// Begins an exchange.
  ///
  /// - Parameter request: Gets the header fields that the instruments add.
  func begin(_ request: inout URLRequest, as sending: CallBudget.Sending) -> InstrumentedRun {
    let time = part.call.elapsed
    let beginning = ExchangeBeginning(
      request: request, attempt: sending.attempt, cause: sending.cause,
      resendCount: sending.resends,
      // A server chose the path of a redirect's target.
      urlTemplate: sending.cause == .redirect ? nil : urlTemplate,
      isAtAPIOrigin: request.url.map(Origin.init) == URL(string: baseURL).map(Origin.init),
      time: time)
    var exchanges: [any InstrumentedExchange] = []
    for call in calls {
      var headers = HTTPHeaders()
      exchanges.append(call.beginExchange(beginning, adding: &headers))
      for (name, value) in headers { request.setIfAbsent(value, for: name) }
    }
    return InstrumentedRun(exchanges, of: part.call, since: time)
  }
}

/// An exchange that instruments have begun something for, until it ends.
final class InstrumentedRun: Sendable {
  private struct State: Sendable {
    /// Empty once they have ended.
    var exchanges: [any InstrumentedExchange]
    var status: Int?
    var metrics: ExchangeMetrics?
  }

  private let call: LogicalCall
  /// The time from the call's beginning.
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

  /// Ends it with a whole response.
  func end(_ response: RESTResponse) {
    end(status: response.statusCode, metrics: response.metrics)
  }

  func end(_ completion: Subscribers.Completion<any Error>) {
    switch completion {
    case .finished: end()
    case .failure(let error): end(failure: error)
    }
  }

  /// Ends it since nobody wants the rest: of a redirect, nobody reads that.
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
