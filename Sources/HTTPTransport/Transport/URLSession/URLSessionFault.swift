import Foundation
import HTTPWire

/// A task's failure in Foundation's terms, and its translation into a `TransportError`.
///
/// On Linux most faults share the code -1, and only libcurl's message distinguishes them. On
/// Apple's systems the failure of the stream does, for the codes that stand for several events.
/// Docs/Transports.md lists these.
struct URLSessionFault {
  private let code: Int
  private let text: String
  private let stream: CFStreamFault?

  init(_ error: (any Error)?) {
    let error = error.map { $0 as NSError }
    code = error?.code ?? NSURLErrorUnknown
    stream = error.flatMap { CFStreamFault(in: $0) }
    // The description of the whole error would contain the URL with its query.
    text = error?.localizedDescription ?? "the task ended without a response"
  }

  /// Returns the fault of a call, with the status of its response if one arrived.
  func fault(behind status: Int? = nil) -> TransportError {
    let kind = kind(behind: status)
    // libcurl's message here mentions memory, which is misleading.
    let detail = kind == .limitExceeded(.headerLineBytes) ? "more than libcurl takes" : hint ?? text
    return TransportError(
      kind: kind, detail: detail,
      mayHaveBeenProcessed: status != nil || !kind.isBeforeSending,
      statusCode: status)
  }

  /// What the system refuses before it sends anything, with the remedy.
  private var hint: String? {
    switch code {
    case NSURLErrorInternationalRoamingOff:
      "roaming is off; wait for another network, or have the user allow it"
    case NSURLErrorCallIsActive: "a phone call uses the network; wait for its end"
    case NSURLErrorDataNotAllowed:
      "mobile data is not allowed; wait for another network, or have the user allow it"
    default: nil
    }
  }

  private func kind(behind status: Int?) -> TransportError.Kind {
    switch code {
    case NSURLErrorTimedOut: .timedOut
    case NSURLErrorCannotFindHost, NSURLErrorDNSLookupFailed: .hostNotFound
    case NSURLErrorCannotConnectToHost:
      stream?.isRefusal == false ? .connectFailed : .connectionRefused
    case NSURLErrorNotConnectedToInternet, NSURLErrorInternationalRoamingOff,
      NSURLErrorCallIsActive,
      NSURLErrorDataNotAllowed:
      .connectFailed
    case NSURLErrorAppTransportSecurityRequiresSecureConnection: .tlsFailed(.required)
    case NSURLErrorRequestBodyStreamExhausted: .sendFailed
    case NSURLErrorNetworkConnectionLost:
      stream?.isClose != true
        ? .connectionReset : status == nil ? .connectionClosedBeforeResponse : .bodyCut
    case NSURLErrorBadServerResponse:
      has("Empty reply") ? .connectionClosedBeforeResponse : .malformedResponse
    case NSURLErrorCannotParseResponse: .malformedResponse
    case NSURLErrorCannotDecodeRawData, NSURLErrorCannotDecodeContentData: .undecodableBody
    case NSURLErrorUnsupportedURL:
      // This code also describes responses. The engine's own checks exclude an unsupported URL as
      // the cause.
      has("HTTP") || has("Recv failure") ? .malformedResponse : .unsupportedURL
    case NSURLErrorBadURL: .unsupportedURL
    case NSURLErrorUnknown: kindByText
    default: tlsReason.map { .tlsFailed(stream?.tlsReason ?? $0) } ?? .other(code: code)
    }
  }

  /// The reason that the code alone gives; nil for a code that is not about TLS.
  private var tlsReason: TransportError.TLSReason? {
    switch code {
    case NSURLErrorSecureConnectionFailed: TransportError.TLSReason(words: text)
    case NSURLErrorServerCertificateHasBadDate: .certificateExpired
    case NSURLErrorServerCertificateNotYetValid: .certificateNotYetValid
    case NSURLErrorServerCertificateUntrusted, NSURLErrorServerCertificateHasUnknownRoot:
      .untrustedIssuer
    case NSURLErrorClientCertificateRejected, NSURLErrorClientCertificateRequired:
      .clientCertificateRefused
    default: nil
    }
  }

  private var kindByText: TransportError.Kind {
    if has("transfer closed") { return .bodyCut }
    if has("Empty reply") { return .connectionClosedBeforeResponse }
    if has("Send failure") { return .sendFailed }
    if has("Recv failure") { return .connectionReset }
    if has("SSL") || has("certificate") {
      return .tlsFailed(TransportError.TLSReason(words: text))
    }
    if has("Failed to connect") || has("Couldn't connect") { return .connectFailed }
    if has("content unencoding") || has("content encoding") || has("Content or Transfer-Encoding")
      || has("Failed writing received data")
    {
      return .undecodableBody
    }
    if has("Too large response headers") { return .limitExceeded(.headerBytes) }
    // libcurl reports this for a response's header line over its own limit. Requests of that size
    // are refused earlier.
    if has("Out of memory") { return .limitExceeded(.headerLineBytes) }
    if has("chunk") || has("hexadecimal") || has("header") || has("Header")
      || has("Content-Length") || has("bad argument")
    {
      return .malformedResponse
    }
    return .other(code: code)
  }

  private func has(_ words: String) -> Bool { text.contains(words) }
}

/// The failure of the stream under a task, which CFNetwork puts into the user info of the task's
/// error.
///
/// Some codes of `NSURLErrorDomain` stand for several events on Apple's systems: −1005 for a reset
/// and for a close, −1201 for both ends of a certificate's dates, −1202 for another host and for an
/// unknown issuer, −1004 for a refusal and for an unreachable network. Only this failure
/// distinguishes them. The names of the keys are CFNetwork's own and are in no documentation, but
/// in the printed form of such errors since iOS 8. The domains and codes are documented. Without
/// the keys, as on Linux, the code alone counts. `NSURLErrorFailingURLPeerTrustErrorKey` has the
/// certificates, which only the framework Security could evaluate a second time; it is not read.
struct CFStreamFault: Equatable {
  enum Domain: Int {
    /// `kCFStreamErrorDomainPOSIX` of CFStream.h. The code is an `errno`.
    case posix = 1
    /// `kCFStreamErrorDomainSSL` of CFSocketStream.h. The code is an `OSStatus` of
    /// SecureTransport.h.
    case tls = 3
    /// `kCFStreamErrorDomainHTTP` of CFHTTPStream.h.
    case http = 4
  }

  let domain: Domain
  let code: Int

  init(_ domain: Domain, _ code: Int) {
    self.domain = domain
    self.code = code
  }

  /// Finds the failure in an error or in the errors under it; nil if none has one.
  init?(in error: NSError) {
    var next: NSError? = error
    // No error nests deeper, and a cycle must end.
    for _ in 0..<4 {
      guard let error = next else { return nil }
      if let domain = (error.userInfo["_kCFStreamErrorDomainKey"] as? Int).flatMap(Domain.init),
        let code = error.userInfo["_kCFStreamErrorCodeKey"] as? Int
      {
        self.init(domain, code)
        return
      }
      if error.domain == NSPOSIXErrorDomain {
        self.init(.posix, error.code)
        return
      }
      next = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
    }
    return nil
  }

  /// Whether the server refused the connection; nil if the stream failed in another way than in a
  /// system call.
  var isRefusal: Bool? { domain == .posix ? code == Int(ECONNREFUSED) : nil }

  /// Whether the server closed the connection within an exchange.
  ///
  /// The code has no name in CFNetwork's headers. Reports show it for a close, and `ECONNRESET` for
  /// a reset.
  var isClose: Bool { domain == .http && code == -4 }

  /// The reason why there is no TLS connection; nil for a code without a reason of its own.
  var tlsReason: TransportError.TLSReason? {
    guard domain == .tls else { return nil }
    return switch code {
    // errSSLHostNameMismatch
    case -9843: .wrongHost
    // errSSLCertExpired
    case -9814: .certificateExpired
    // errSSLCertNotYetValid
    case -9815: .certificateNotYetValid
    // errSSLXCertChainInvalid, errSSLUnknownRootCert, errSSLNoRootCert
    case -9807, -9812, -9813: .untrustedIssuer
    // errSSLBadCert
    case -9808: .certificateRejected
    // errSSLPeerBadCert … errSSLPeerCertUnknown, errSSLPeerUnknownCA: the server's alerts about the
    // client's
    case -9829 ... -9825, -9831: .clientCertificateRefused
    // errSSLPeerProtocolVersion
    case -9836: .protocolVersion
    default: nil
    }
  }
}
