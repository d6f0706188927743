import Foundation
import Streams

/// Collects one response from its pieces, within limits.
struct ResponseCollector: Sendable {
  private let request: RequestSummary
  private let journal: CallJournal?
  private var head: ResponseHead?
  private var data = Data()
  private var meter: BodyMeter

  /// - Parameter journal: The journal of the call that the response ends, if there is one.
  init(request: RequestSummary, limits: TransportLimits, journal: CallJournal?) {
    self.request = request
    self.journal = journal
    meter = BodyMeter(limits, isCollected: true)
  }

  mutating func take(_ head: ResponseHead) {
    self.head = head
  }

  /// - Throws: `RESTError` of kind `transport(.limitExceeded)` if the body becomes too long.
  mutating func take(_ chunk: Data) throws(RESTError) {
    do throws(TransportError) {
      // The source of the chunk has already counted its bytes before decoding.
      meter.take(encoded: chunk.count)
      try meter.take(decoded: chunk.count, status: head?.statusCode)
    } catch {
      throw RESTError(error, request: request)
    }
    data.append(chunk)
  }

  /// The response so far; nil before its head.
  var response: RESTResponse? {
    let response = head.map { RESTResponse(head: $0, data: data, request: request) }
    return journal.flatMap { response?.belonging(to: $0) } ?? response
  }
}

extension ResponseCollector: RefusedResponse {
  var failure: RESTError? { response.map { $0.recording(RESTError(unacceptable: $0)) } }
}
