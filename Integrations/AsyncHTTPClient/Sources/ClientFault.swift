import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import RESTKit

/// A conversion of the client's and SwiftNIO's errors to those of RESTKit.
enum ClientFault {
  /// The progress of an exchange when it failed.
  enum Stage: Equatable {
    case unanswered
    case answered(status: Int)

    var statusCode: Int? {
      if case .answered(let status) = self { status } else { nil }
    }
  }

  static func fault(of error: any Error, at stage: Stage) -> TransportError {
    if let fault = error as? TransportError { return fault }
    let (kind, isUnsent): (TransportError.Kind, Bool) =
      switch error {
      case let error as HTTPClientError: classify(error, at: stage)
      case let error as NIOConnectionError: (classify(error), true)
      case let error as HTTPParserError: (classify(error, at: stage), false)
      case let error as IOError: classify(error)
      case let error as ChannelError: classify(error, at: stage)
      case NIOSSLError.uncleanShutdown: (closed(at: stage), false)
      case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
        (.tlsFailed(tlsFailure(in: error)), stage == .unanswered)
      default: (.other(code: 0), false)
      }
    return TransportError(
      kind: kind, detail: detail(of: error), mayHaveBeenProcessed: !isUnsent,
      statusCode: stage.statusCode)
  }

  private static func closed(at stage: Stage) -> TransportError.Kind {
    stage == .unanswered ? .connectionClosedBeforeResponse : .bodyCut
  }

  private static func classify(
    _ error: HTTPClientError, at stage: Stage
  ) -> (TransportError.Kind, isUnsent: Bool) {
    switch error {
    case .remoteConnectionClosed: (closed(at: stage), false)
    case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout,
      .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
      (.timedOut, true)
    case .readTimeout, .writeTimeout, .deadlineExceeded: (.timedOut, false)
    case .alreadyShutdown: (.engineUnavailable, true)
    case .cancelled: (.engineUnavailable, false)
    case .invalidURL, .emptyHost, .emptyScheme: (.unsupportedURL, true)
    case .bodyLengthMismatch: (.sendFailed, false)
    case .traceRequestWithBody: (.invalidRequest, true)
    case .proxyAuthenticationRequired, .invalidProxyResponse: (.connectFailed, true)
    default: (.other(code: 0), false)
    }
  }

  private static func classify(_ error: NIOConnectionError) -> TransportError.Kind {
    guard !error.connectionErrors.isEmpty else { return .hostNotFound }
    let isRefused = error.connectionErrors.contains {
      ($0.error as? IOError)?.errnoCode == ECONNREFUSED
    }
    return isRefused ? .connectionRefused : .connectFailed
  }

  private static func classify(
    _ error: HTTPParserError, at stage: Stage
  ) -> TransportError.Kind {
    switch error {
    case .headerOverflow: .limitExceeded(.headerBytes)
    case .invalidEOFState, .closedConnection: closed(at: stage)
    default: .malformedResponse
    }
  }

  private static func classify(_ error: IOError) -> (TransportError.Kind, isUnsent: Bool) {
    switch error.errnoCode {
    case ECONNREFUSED: (.connectionRefused, true)
    case ECONNRESET, EPIPE: (.connectionReset, false)
    case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EMFILE, ENFILE: (.connectFailed, true)
    case ETIMEDOUT: (.timedOut, false)
    case let code: (.other(code: Int(code)), false)
    }
  }

  private static func classify(
    _ error: ChannelError, at stage: Stage
  ) -> (TransportError.Kind, isUnsent: Bool) {
    switch error {
    case .connectTimeout: (.timedOut, true)
    case .eof, .inputClosed, .outputClosed, .ioOnClosedChannel, .alreadyClosed:
      (closed(at: stage), false)
    default: (.other(code: 0), false)
    }
  }

  /// Returns the reason of a TLS failure, from BoringSSL's texts, since it has no codes for the
  /// reasons.
  private static func tlsFailure(in error: any Error) -> TransportError.TLSReason {
    if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
      return .wrongHost
    }
    let words = "\(error)"
    if words.contains("WRONG_VERSION_NUMBER") || words.contains("PACKET_LENGTH_TOO_LONG") {
      return .notTLS
    }
    if words.contains("UNSUPPORTED_PROTOCOL") || words.contains("PROTOCOL_VERSION") {
      return .protocolVersion
    }
    return words.contains("CERTIFICATE_VERIFY_FAILED") ? .certificateRejected : .handshake
  }

  /// Returns a short text, since descriptions of the client's errors may contain header fields.
  private static func detail(of error: any Error) -> String {
    switch error {
    case let error as HTTPClientError: error.shortDescription
    case let error as IOError: String(cString: strerror(error.errnoCode))
    case let error as NIOConnectionError: "no connection to \(error.host):\(error.port)"
    default: "\(type(of: error)): \(error)"
    }
  }
}
