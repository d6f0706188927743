import Foundation
import Streams

/// Puts one response together from its pieces, within limits.
final class ResponseCollector: Sendable {
  private struct State {
    var head: ResponseHead?
    var data = Data()
  }

  let request: RequestSummary
  private let limits: TransportLimits
  private let call: LogicalCall?
  private let state = Lock(State())

  /// - Parameter call: The call that the response ends, if somebody counts and records.
  init(request: RequestSummary, limits: TransportLimits, call: LogicalCall?) {
    self.request = request
    self.limits = limits
    self.call = call
  }

  func take(_ head: ResponseHead) {
    state.withLock { $0.head = head }
  }

  /// - Throws: `RESTError` of kind `transport(.limitExceeded)` where the body becomes too much.
  func take(_ chunk: Data) throws(RESTError) {
    let fault: TransportFault? = state.withLock { state in
      let status = state.head?.statusCode
      let limit = limits.bodyLimit(status: status ?? 0)
      guard state.data.count + chunk.count > limit.bytes else {
        state.data.append(chunk)
        return nil
      }
      return TransportFault(
        kind: .limitExceeded(limit.kind), detail: "more than \(limit.bytes) bytes of decoded body",
        mayHaveBeenProcessed: true, statusCode: status)
    }
    if let fault { throw RESTError(fault, request: request) }
  }

  /// The response so far; nil before its head.
  var response: RESTResponse? {
    let response = state.withLock { state in
      state.head.map { RESTResponse(head: $0, data: state.data, request: request) }
    }
    return call.flatMap { response?.belonging(to: $0) } ?? response
  }
}
