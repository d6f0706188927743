import Foundation
import Streams

/// Puts one response together from its pieces, within limits.
struct ResponseCollector: Sendable {
  private let request: RequestSummary
  private let journal: CallJournal?
  private var head: ResponseHead?
  private var data = Data()
  private var meter: BodyMeter

  /// - Parameter journal: That of the call that the response ends, if somebody counts and records.
  init(request: RequestSummary, limits: TransportLimits, journal: CallJournal?) {
    self.request = request
    self.journal = journal
    meter = BodyMeter(limits, isCollected: true)
  }

  mutating func take(_ head: ResponseHead) {
    self.head = head
  }

  /// - Throws: `RESTError` of kind `transport(.limitExceeded)` where the body becomes too much.
  mutating func take(_ chunk: Data) throws(RESTError) {
    do throws(TransportError) {
      // Who gave the chunk has counted how many bytes it was before.
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
