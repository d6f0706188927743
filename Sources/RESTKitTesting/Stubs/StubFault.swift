import RESTKit

/// A fault of an exchange.
///
/// It is the same for the client in memory and on a socket.
///
/// Give it to a stub as `result: .fault(.resetInBody)`. The exchange fails as on RESTKit's own
/// transports: with a `RESTError` of kind `transport(…)`.
///
/// The first thirteen faults name what goes wrong on the connection. A stub over a socket plays
/// them there. The others name a kind of `TransportError`, as a call's log does, and no server on
/// loopback can cause them: they are the same failure in both worlds. Each kind has its fault:
/// ``init(_:)``.
public enum StubFault: Error, Sendable, Hashable {
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

  /// The transport refuses the URL.
  case unsupportedURL
  /// The transport refuses the request.
  case invalidRequest
  /// No connection can be made, for a reason besides the others.
  case connectFailed
  /// No trusted TLS connection can be made, for this reason, such as `certificateExpired`.
  case tlsFailed(TransportError.TLSReason)
  /// The body's content coding cannot be decoded. The head has arrived.
  case undecodableBody
  /// The request could not be sent completely.
  case sendFailed
  /// The response exceeds a limit of the transport. If it is a limit on bodies, the head has
  /// arrived.
  case limitExceeded(TransportError.Limit)
  /// The engine under the transport is unavailable.
  case engineUnavailable
  /// An option of the transport cannot be used.
  case invalidOptions
  /// Any other failure, with the engine's own code.
  case other(code: Int)
}

extension StubFault {
  /// The same as `closedBeforeResponse`, by the name of its kind.
  public static var connectionClosedBeforeResponse: StubFault { .closedBeforeResponse }

  /// The same as `resetBeforeResponse`, by the name of its kind.
  public static var connectionReset: StubFault { .resetBeforeResponse }

  /// The same as `malformedStatusLine`, by the name of its kind.
  public static var malformedResponse: StubFault { .malformedStatusLine }

  /// The same as `stall`, by the name of its kind.
  public static var timedOut: StubFault { .stall }

  /// Creates the fault by which an exchange fails with this kind.
  public init(_ kind: TransportError.Kind) {
    self =
      switch kind {
      case .unsupportedURL: .unsupportedURL
      case .invalidRequest: .invalidRequest
      case .hostNotFound: .hostNotFound
      case .connectionRefused: .connectionRefused
      case .connectFailed: .connectFailed
      case .tlsFailed(.notTLS): .notTLS
      case .tlsFailed(let reason): .tlsFailed(reason)
      case .connectionClosedBeforeResponse: .closedBeforeResponse
      case .connectionReset: .resetBeforeResponse
      case .bodyCut: .bodyCut
      case .malformedResponse: .malformedStatusLine
      case .undecodableBody: .undecodableBody
      case .timedOut: .stall
      case .sendFailed: .sendFailed
      case .limitExceeded(let limit): .limitExceeded(limit)
      case .engineUnavailable: .engineUnavailable
      case .invalidOptions: .invalidOptions
      case .other(let code): .other(code: code)
      }
  }
}

extension StubFault: CaseIterable {
  /// Every fault, with each reason and each limit; of `other`, one code.
  public static var allCases: [StubFault] {
    let limits: [TransportError.Limit] = [
      .headerBytes, .headerLineBytes, .headerCount, .bodyBytes, .errorBodyBytes, .expansionRatio,
    ]
    let reasons = TransportError.TLSReason.allCases.filter { $0 != .notTLS }
    return [
      .hostNotFound, .connectionRefused, .notTLS, .closedBeforeResponse, .resetBeforeResponse,
      .resetInHeaders, .resetInBody, .bodyCut, .chunkCut, .malformedStatusLine, .twoLengths,
      .stall, .stallInBody, .unsupportedURL, .invalidRequest, .connectFailed, .undecodableBody,
      .sendFailed, .engineUnavailable, .invalidOptions, .other(code: 1),
    ] + reasons.map(StubFault.tlsFailed) + limits.map(StubFault.limitExceeded)
  }
}

extension StubFault: CustomStringConvertible {
  /// The fault as the script names it, such as `resetInBody` or `tlsFailed(certificateExpired)`.
  public var description: String {
    switch self {
    case .hostNotFound: "hostNotFound"
    case .connectionRefused: "connectionRefused"
    case .notTLS: "notTLS"
    case .closedBeforeResponse: "closedBeforeResponse"
    case .resetBeforeResponse: "resetBeforeResponse"
    case .resetInHeaders: "resetInHeaders"
    case .resetInBody: "resetInBody"
    case .bodyCut: "bodyCut"
    case .chunkCut: "chunkCut"
    case .malformedStatusLine: "malformedStatusLine"
    case .twoLengths: "twoLengths"
    case .stall: "stall"
    case .stallInBody: "stallInBody"
    case .unsupportedURL: "unsupportedURL"
    case .invalidRequest: "invalidRequest"
    case .connectFailed: "connectFailed"
    case .tlsFailed(let reason): "tlsFailed(\(reason))"
    case .undecodableBody: "undecodableBody"
    case .sendFailed: "sendFailed"
    case .limitExceeded(let limit): "limitExceeded(\(limit))"
    case .engineUnavailable: "engineUnavailable"
    case .invalidOptions: "invalidOptions"
    case .other(let code): "other(code: \(code))"
    }
  }
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
    case .unsupportedURL: before(.unsupportedURL)
    case .invalidRequest: before(.invalidRequest)
    case .hostNotFound: before(.hostNotFound)
    case .connectionRefused: before(.connectionRefused)
    case .connectFailed: before(.connectFailed)
    case .notTLS: before(.tlsFailed(.notTLS))
    // With TLS 1.3 it may come after the request (RFC 8446 §4.4.2.4).
    case .tlsFailed(.clientCertificateRefused): after(.tlsFailed(.clientCertificateRefused))
    case .tlsFailed(let reason): before(.tlsFailed(reason))
    case .engineUnavailable: before(.engineUnavailable)
    case .invalidOptions: before(.invalidOptions)
    case .closedBeforeResponse: after(.connectionClosedBeforeResponse)
    case .resetBeforeResponse: after(.connectionReset)
    case .resetInHeaders, .resetInBody: after(.connectionReset, status: status)
    case .bodyCut, .chunkCut: after(.bodyCut, status: status)
    case .malformedStatusLine: after(.malformedResponse)
    case .twoLengths: after(.malformedResponse, status: status)
    case .undecodableBody: after(.undecodableBody, status: status)
    case .limitExceeded(let limit): after(.limitExceeded(limit), status: status)
    case .stall: after(.timedOut)
    case .stallInBody: after(.timedOut, status: status)
    case .sendFailed: after(.sendFailed)
    case .other(let code): after(.other(code: code))
    }
  }

  /// Whether the head of the response comes before it.
  var isInBody: Bool { bodyEnd != nil || isOfReading }

  /// Whether a client finds it in a body that has arrived.
  var isOfReading: Bool {
    switch self {
    case .undecodableBody, .limitExceeded(.bodyBytes), .limitExceeded(.errorBodyBytes),
      .limitExceeded(.expansionRatio):
      true
    default: false
    }
  }

  /// Whether a server on loopback can cause it.
  var isOnWire: Bool {
    switch self {
    case .hostNotFound, .connectionRefused, .notTLS, .tlsFailed(.notTLS), .closedBeforeResponse,
      .resetBeforeResponse, .resetInHeaders, .resetInBody, .bodyCut, .chunkCut,
      .malformedStatusLine, .twoLengths, .stall, .stallInBody:
      true
    case .unsupportedURL, .invalidRequest, .connectFailed, .tlsFailed, .undecodableBody,
      .sendFailed, .limitExceeded, .engineUnavailable, .invalidOptions, .other:
      false
    }
  }
}
