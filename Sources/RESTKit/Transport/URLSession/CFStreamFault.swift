import Foundation

/// The failure of the stream under a task, which CFNetwork puts into the user info of the task's error.
///
/// Some codes of `NSURLErrorDomain` stand for several events on Apple's systems: −1005 for a reset and
/// for a close, −1201 for both ends of a certificate's dates, −1202 for another host and for an unknown
/// issuer, −1004 for a refusal and for an unreachable network. Only this failure distinguishes them.
/// The names of the keys are CFNetwork's own and are in no documentation, but in the printed form of
/// such errors since iOS 8. The domains and codes are documented. Without the keys, as on Linux, the
/// code alone counts. `NSURLErrorFailingURLPeerTrustErrorKey` has the certificates, which only the
/// framework Security could evaluate a second time; it is not read.
struct CFStreamFault: Equatable {
  enum Domain: Int {
    /// `kCFStreamErrorDomainPOSIX` of CFStream.h. The code is an `errno`.
    case posix = 1
    /// `kCFStreamErrorDomainSSL` of CFSocketStream.h. The code is an `OSStatus` of SecureTransport.h.
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
  /// The code has no name in CFNetwork's headers. Reports show it for a close, and `ECONNRESET` for a
  /// reset.
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
