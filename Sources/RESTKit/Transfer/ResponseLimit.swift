import Streams

/// Passes the pieces of a response on as long as its body keeps to the limits.
struct ResponseLimit: Stage {
  let request: RequestSummary
  let limits: TransportLimits
  private var statusCode = 0
  private var bytes = 0

  init(request: RequestSummary, limits: TransportLimits) {
    self.request = request
    self.limits = limits
  }

  /// - Throws: `RESTError` of kind `transport(.limitExceeded)`.
  mutating func receive(_ event: TransferEvent) throws -> StageStep<TransferEvent> {
    switch event {
    case .sent:
      break
    case .head(let head):
      statusCode = head.statusCode
    case .chunk(let chunk):
      bytes += chunk.count
      let limit = limits.bodyLimit(status: statusCode)
      guard bytes <= limit.bytes else {
        throw RESTError(
          TransportFault(
            kind: .limitExceeded(limit.kind),
            detail: "more than \(limit.bytes) bytes of decoded body", mayHaveBeenProcessed: true,
            statusCode: statusCode),
          request: request)
      }
    }
    return .pass(event)
  }
}
