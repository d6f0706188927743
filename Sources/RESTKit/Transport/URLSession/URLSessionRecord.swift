import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What is known of one task.
struct URLSessionRecord {
  let call: EngineCall
  let task: URLSessionStarter
  let message: URLSessionMessage
  let deadline: URLSessionDeadline?
  let begin = ContinuousClock.now
  var head: HTTPURLResponse?
  var firstByte = Duration.zero
  var body = Data()
  var bodyLimit: (kind: TransportFault.Limit, bytes: Int) = (.bodyBytes, 0)
  var isChallenged = false
  var refusedRepeat = false

  /// The fault of a head that is too large, or that announces too large a body.
  func faultOfHead(_ head: HTTPURLResponse, _ limits: TransportLimits) -> TransportFault? {
    let headers = URLSessionTasks.headers(of: head)
    guard headers.count <= limits.headerCount else {
      return fault(.headerCount, "more than \(limits.headerCount) header lines")
    }
    // Each line has a colon, a blank and a line break besides.
    let bytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    guard bytes <= limits.headerBytes else {
      return fault(.headerBytes, "more than \(limits.headerBytes) bytes of headers")
    }
    // With an encoding, the length is that of the encoded body, which may be larger.
    guard head.expectedContentLength > Int64(bodyLimit.bytes),
      message.request.httpMethod != "HEAD", headers["Content-Encoding"] == nil
    else { return nil }
    return faultOfBody
  }

  /// The fault of a body that is too large.
  var faultOfBody: TransportFault {
    fault(bodyLimit.kind, "more than \(bodyLimit.bytes) bytes of decoded body")
  }

  private func fault(_ limit: TransportFault.Limit, _ detail: String) -> TransportFault {
    TransportFault(
      kind: .limitExceeded(limit), detail: detail, mayHaveBeenProcessed: true,
      statusCode: head?.statusCode)
  }
}
