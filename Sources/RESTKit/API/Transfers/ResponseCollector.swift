import Foundation
import Streams

/// Puts one response together from its pieces, within limits.
final class ResponseCollector: Sendable {
  private struct State {
    var head: ResponseHead?
    var data = Data()
    var meter: BodyMeter
  }

  let request: RequestSummary
  private let journal: CallJournal?
  private let state: Lock<State>

  /// - Parameter journal: That of the call that the response ends, if somebody counts and records.
  init(request: RequestSummary, limits: TransportLimits, journal: CallJournal?) {
    self.request = request
    self.journal = journal
    state = Lock(State(meter: BodyMeter(limits, isCollected: true)))
  }

  func take(_ head: ResponseHead) {
    state.withLock { $0.head = head }
  }

  /// - Throws: `RESTError` of kind `transport(.limitExceeded)` where the body becomes too much.
  func take(_ chunk: Data) throws(RESTError) {
    let fault: TransportError? = state.withLock { state in
      do throws(TransportError) {
        // Who gave the chunk has counted how many bytes it was before.
        state.meter.take(encoded: chunk.count)
        try state.meter.take(decoded: chunk.count, status: state.head?.statusCode)
        state.data.append(chunk)
        return nil
      } catch {
        return error
      }
    }
    if let fault { throw RESTError(fault, request: request) }
  }

  /// The response so far; nil before its head.
  var response: RESTResponse? {
    let response = state.withLock { state in
      state.head.map { RESTResponse(head: $0, data: state.data, request: request) }
    }
    return journal.flatMap { response?.belonging(to: $0) } ?? response
  }
}
