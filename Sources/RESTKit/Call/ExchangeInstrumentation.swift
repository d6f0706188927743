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

  /// - Parameters:
  ///   - baseURL: That of the API that makes the request.
  ///   - urlTemplate: The request's path without its values, if that is known.
  /// - Returns: nil where there is no instrument.
  init?(_ observed: ObservedCall, baseURL: String, urlTemplate: String?) {
    guard let part = observed.call, !observed.instrumented.isEmpty else { return nil }
    self.part = part
    calls = observed.instrumented
    self.baseURL = baseURL
    self.urlTemplate = urlTemplate
  }

  /// The same for the sake of another call.
  func apart(for observed: ObservedCall) -> ExchangeInstrumentation? {
    ExchangeInstrumentation(observed, baseURL: baseURL, urlTemplate: urlTemplate)
  }

  /// Begins an exchange.
  ///
  /// - Parameter request: Gets the header fields that the instruments add.
  func begin(_ request: inout URLRequest, as sending: CallBudget.Sending) -> InstrumentedRun {
    let beginning = ExchangeBeginning(
      request: request, attempt: sending.attempt, cause: sending.cause,
      resendCount: sending.resends, urlTemplate: urlTemplate,
      isAtAPIOrigin: request.url.map(Origin.init) == URL(string: baseURL).map(Origin.init),
      time: part.call.elapsed)
    var exchanges: [any InstrumentedExchange] = []
    for call in calls {
      var headers = HTTPHeaders()
      exchanges.append(call.beginExchange(beginning, adding: &headers))
      for (name, value) in headers { request.setIfAbsent(value, for: name) }
    }
    return InstrumentedRun(exchanges, of: part.call)
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
  private let begin: Duration
  private let state: Lock<State>

  fileprivate init(_ exchanges: [any InstrumentedExchange], of call: LogicalCall) {
    self.call = call
    begin = call.elapsed
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
