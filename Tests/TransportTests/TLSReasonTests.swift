import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("The reason of a TLS failure, from its library's text")
struct TLSReasonTests {
  @Test(
    "SEC-14: OpenSSL's and GnuTLS's texts for the same reason are equal",
    arguments: [
      ("SSL certificate problem: certificate has expired", .certificateExpired),
      (
        "server certificate verification failed: certificate has expired. (CAfile: x CRLfile: none)",
        .certificateExpired
      ),
      ("SSL certificate problem: certificate is not yet valid", .certificateNotYetValid),
      ("server certificate verification failed: not yet activated", .certificateNotYetValid),
      ("SSL certificate problem: certificate revoked", .certificateRevoked),
      (
        "SSL: no alternative certificate subject name matches target host name 'h'", .wrongHost
      ),
      ("SSL: certificate subject name 'a' does not match target host name 'b'", .wrongHost),
      ("SSL certificate problem: Hostname mismatch", .wrongHost),
      ("SSL certificate problem: unable to get local issuer certificate", .untrustedIssuer),
      ("SSL certificate problem: unable to verify the first certificate", .untrustedIssuer),
      ("SSL certificate problem: self-signed certificate in certificate chain", .untrustedIssuer),
      ("SSL certificate problem: self signed certificate in certificate chain", .untrustedIssuer),
      ("server certificate verification failed. CAfile: none CRLfile: none", .certificateRejected),
      ("SSL certificate problem: EE certificate key too weak", .certificateRejected),
      ("SSL certificate problem: self-signed certificate", .selfSigned),
      ("SSL certificate problem: self signed certificate", .selfSigned),
      ("SSL: public key does not match pinned public key", .pinMismatch),
      ("error:0A00010B:SSL routines::wrong version number", .notTLS),
      ("GnuTLS, handshake failed: An unexpected TLS packet was received.", .notTLS),
      ("error:0A00042E:SSL routines::tlsv1 alert protocol version", .protocolVersion),
      ("error:0A000102:SSL routines::unsupported protocol", .protocolVersion),
      ("SSL routines::tlsv13 alert certificate required", .clientCertificateRefused),
      ("SSL routines::tlsv1 alert unknown ca", .clientCertificateRefused),
      ("gnutls_handshake() failed: CA is unknown", .clientCertificateRefused),
      (
        "error reading X.509 potentially-encrypted key file: Decryption has failed.",
        .clientCertificateUnusable
      ),
      ("SSL routines::sslv3 alert certificate expired", .clientCertificateRefused),
      ("SSL routines::sslv3 alert handshake failure", .handshake),
      (
        "handshakeFailed([error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER])",
        .notTLS
      ),
      ("SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED", .certificateRejected),
      ("NIOSSLExtraError.failedToValidateHostname: Failed to validate hostname", .wrongHost),
      ("something else", .handshake), ("", .handshake),
    ] as [(String, TransportError.TLSReason)])
  func words(text: String, failure: TransportError.TLSReason) {
    #expect(TransportError.TLSReason(words: text) == failure)
  }

  @Test("Each reason has its own explanation and remedy")
  func texts() {
    let all = TransportError.TLSReason.allCases
    #expect(Set(all.map(\.explanation)).count == all.count)
    #expect(Set(all.map(\.remedy)).count == all.count)
    #expect(all.allSatisfy { $0.remedy.hasSuffix(".") && !$0.explanation.hasSuffix(".") })
  }
}
