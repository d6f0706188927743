import RESTKit

/// How an exchange goes wrong: the same for the client in memory and on a socket.
///
/// Give it to a stub as `result: .fault(.resetInBody)`. The exchange fails as on RESTKit's own
/// transports: with a `RESTError` of kind `transport(…)`.
public enum StubFault: Error, Sendable, Hashable, CaseIterable {
  /// The host's name has no address.
  case hostNotFound
  /// Nobody listens on the port.
  case connectionRefused
  /// What answers on the port does not speak TLS.
  case notTLS
  /// The connection is closed before the first byte of an answer.
  case closedBeforeResponse
  /// The connection is reset before the first byte of an answer.
  case resetBeforeResponse
  /// The connection is reset in the middle of the header lines.
  case resetInHeaders
  /// The connection is reset in the middle of the body.
  case resetInBody
  /// The body ends before the length that was announced.
  case bodyCut
  /// The body ends inside its chunks.
  case chunkCut
  /// The answer does not begin as HTTP does.
  case malformedStatusLine
  /// The head announces two lengths.
  case twoLengths
  /// No byte of an answer, until the request's time is over.
  case stall
  /// The head and a part of the body, and then nothing until the request's time is over.
  case stallInBody
}

extension StubFault {
  /// What a transport makes of it.
  ///
  /// - Parameter status: The status that the stub would have answered with.
  func transportFault(status: Int) -> TransportError {
    let detail = "a stub's fault"
    func before(_ kind: TransportError.Kind) -> TransportError {
      TransportError(kind: kind, detail: detail, mayHaveBeenProcessed: false)
    }
    func after(_ kind: TransportError.Kind, status: Int? = nil) -> TransportError {
      TransportError(kind: kind, detail: detail, mayHaveBeenProcessed: true, statusCode: status)
    }
    return switch self {
    case .hostNotFound: before(.hostNotFound)
    case .connectionRefused: before(.connectionRefused)
    case .notTLS: before(.tlsFailed(.notTLS))
    case .closedBeforeResponse: after(.connectionClosedBeforeResponse)
    case .resetBeforeResponse, .resetInHeaders: after(.connectionReset)
    case .resetInBody: after(.connectionReset, status: status)
    case .bodyCut, .chunkCut: after(.bodyCut, status: status)
    case .malformedStatusLine: after(.malformedResponse)
    case .twoLengths: after(.malformedResponse, status: status)
    case .stall: after(.timedOut)
    case .stallInBody: after(.timedOut, status: status)
    }
  }

  /// Whether the fault is that nothing more comes.
  var isStall: Bool { self == .stall || self == .stallInBody }
}
