import RESTKit

/// A fault of an exchange.
///
/// It is the same for the client in memory and on a socket.
///
/// Give it to a stub as `result: .fault(.resetInBody)`. The exchange fails as on RESTKit's own
/// transports: with a `RESTError` of kind `transport(…)`.
public enum StubFault: Error, Sendable, Hashable, CaseIterable {
  /// The host's name has no address.
  case hostNotFound
  /// The port has no listener.
  case connectionRefused
  /// The server on the port does not speak TLS.
  case notTLS
  /// The connection is closed before the first byte of a response.
  case closedBeforeResponse
  /// The connection is reset before the first byte of a response.
  case resetBeforeResponse
  /// The connection is reset in the middle of the header lines.
  case resetInHeaders
  /// The connection is reset in the middle of the body.
  case resetInBody
  /// The body ends before its announced length.
  case bodyCut
  /// The body ends before its last chunk.
  case chunkCut
  /// The response does not begin with an HTTP status line.
  case malformedStatusLine
  /// The head announces two lengths.
  case twoLengths
  /// No byte arrives until the request's time is over.
  case stall
  /// The head and a part of the body arrive, and then nothing until the request's time is over.
  case stallInBody
}

extension StubFault {
  /// Returns the fault of a transport for this fault.
  ///
  /// - Parameter status: The status of the stub's response.
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
}
