#if os(Linux)
  internal import CCurl
  import Foundation
  import HTTPWire

  /// A transfer's failure in libcurl's terms, and its translation into a `TransportError`.
  struct CurlFault {
    var code: Int32
    var text: String
    var systemError: Int32
    var refusedRepeat: Bool
    var mayHaveBeenProcessed: Bool
    /// The status of the response, if one arrived.
    var statusCode: Int?

    var fault: TransportError {
      if refusedRepeat { return .mustNotRunTwice }
      let kind = kind
      // libcurl's message here mentions memory, which is misleading.
      let isLongLine = kind == .limitExceeded(.headerLineBytes)
      return TransportError(
        kind: kind, detail: isLongLine ? "more than libcurl takes" : text,
        mayHaveBeenProcessed: mayHaveBeenProcessed && !isBeforeSending(kind) && !isRefusedStream,
        statusCode: statusCode)
    }

    private var kind: TransportError.Kind {
      switch ccurl_code(rawValue: UInt32(bitPattern: code)) {
      case CCURLE_URL_MALFORMAT, CCURLE_LOGIN_DENIED:
        .unsupportedURL
      case CCURLE_UNSUPPORTED_PROTOCOL:
        // An unsupported protocol of the URL fails before a request. Otherwise the response's
        // status or version is the cause.
        mayHaveBeenProcessed || text.contains("HTTP/") ? .malformedResponse : .unsupportedURL
      case CCURLE_BAD_FUNCTION_ARGUMENT where mayHaveBeenProcessed:
        .malformedResponse
      case CCURLE_OUT_OF_MEMORY where mayHaveBeenProcessed:
        // This is a response's header line over libcurl's own limit. Requests have limits of their
        // own.
        .limitExceeded(.headerLineBytes)
      case CCURLE_COULDNT_RESOLVE_HOST, CCURLE_COULDNT_RESOLVE_PROXY:
        .hostNotFound
      case CCURLE_COULDNT_CONNECT:
        systemError == ECONNREFUSED ? .connectionRefused : .connectFailed
      case CCURLE_PROXY:
        .connectFailed
      case CCURLE_WEIRD_SERVER_REPLY:
        .malformedResponse
      case CCURLE_PARTIAL_FILE:
        .bodyCut
      case CCURLE_BAD_CONTENT_ENCODING:
        // RESTKit decodes content codings itself, so this error concerns a transfer coding.
        .malformedResponse
      case CCURLE_OPERATION_TIMEDOUT:
        .timedOut
      case CCURLE_GOT_NOTHING:
        .connectionClosedBeforeResponse
      case CCURLE_SEND_ERROR, CCURLE_SEND_FAIL_REWIND, CCURLE_READ_ERROR:
        isRefusalOfClient ? .tlsFailed(.clientCertificateRefused) : .sendFailed
      case CCURLE_HTTP2, CCURLE_HTTP2_STREAM, CCURLE_HTTP3:
        .connectionReset
      case CCURLE_TOO_LARGE:
        .limitExceeded(.headerBytes)
      case CCURLE_RECV_ERROR, CCURLE_WRITE_ERROR, CCURLE_OUT_OF_MEMORY:
        kindOfReceiving
      case CCURLE_SSL_PINNEDPUBKEYNOTMATCH:
        .tlsFailed(.pinMismatch)
      case CCURLE_SSL_CLIENTCERT:
        .tlsFailed(.clientCertificateRefused)
      case CCURLE_SSL_CERTPROBLEM:
        .tlsFailed(.clientCertificateUnusable)
      case CCURLE_SSL_CACERT_BADFILE:
        .tlsFailed(.authoritiesUnusable)
      case CCURLE_SSL_ISSUER_ERROR:
        .tlsFailed(.untrustedIssuer)
      case CCURLE_PEER_FAILED_VERIFICATION where tlsFailure == .handshake:
        .tlsFailed(.certificateRejected)
      case CCURLE_SSL_CONNECT_ERROR, CCURLE_SSL_ENGINE_NOTFOUND, CCURLE_SSL_ENGINE_SETFAILED,
        CCURLE_SSL_CIPHER, CCURLE_PEER_FAILED_VERIFICATION, CCURLE_SSL_ENGINE_INITFAILED,
        CCURLE_SSL_SHUTDOWN_FAILED, CCURLE_SSL_CRL_BADFILE, CCURLE_SSL_INVALIDCERTSTATUS:
        .tlsFailed(tlsFailure)
      default:
        .other(code: Int(code))
      }
    }

    /// libcurl reports broken chunks, heads and connections with the same code.
    ///
    /// Only its message distinguishes them.
    private var kindOfReceiving: TransportError.Kind {
      if isRefusalOfClient { return .tlsFailed(.clientCertificateRefused) }
      let text = text.lowercased()
      if text.contains("proxy after connect") || text.contains("connect tunnel failed")
        || text.contains("connect response too large")
      {
        return .connectFailed
      }
      if text.contains("too large") || text.contains("header larger") {
        return .limitExceeded(.headerBytes)
      }
      if text.contains("chunk") || text.contains("header") || text.contains("hexadecimal") {
        return .malformedResponse
      }
      // TLS ended without an announcement (RFC 8446 §6.1).
      if text.contains("unexpected eof") {
        return statusCode == nil ? .connectionClosedBeforeResponse : .bodyCut
      }
      if code == Int32(CCURLE_RECV_ERROR.rawValue) { return .connectionReset }
      // RESTKit's own callback reports its reason itself. This message comes from libcurl's decoder
      // for deflate.
      if text.contains("failed writing received data") { return .undecodableBody }
      return .other(code: Int(code))
    }

    /// Whether HTTP/2 reported the stream as not processed (RFC 9113 §8.7).
    ///
    /// Streams after the last one that a GOAWAY names end in the same way.
    private var isRefusedStream: Bool { text.contains("REFUSED_STREAM") }

    private var tlsFailure: TransportError.TLSReason { TransportError.TLSReason(words: text) }

    /// With TLS 1.3, a server may refuse the client certificate after the request was sent (RFC
    /// 8446 §4.4.2.4).
    ///
    /// The refusal then looks like a broken connection.
    private var isRefusalOfClient: Bool {
      TransportError.TLSReason.isRefusalOfClient(text)
    }

    /// Whether such a failure ends a call before its request could be sent.
    private func isBeforeSending(_ kind: TransportError.Kind) -> Bool {
      // A TLS failure during reading or writing means that a request is under way.
      let isUnderWay = [CCURLE_RECV_ERROR, CCURLE_SEND_ERROR].contains {
        code == Int32($0.rawValue)
      }
      if case .tlsFailed = kind, isUnderWay { return false }
      return kind.isBeforeSending
    }
  }
#endif
