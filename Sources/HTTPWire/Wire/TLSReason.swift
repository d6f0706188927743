extension TransportError {
  /// The reason why no trusted TLS connection could be made.
  ///
  /// If a certificate has several faults, the reason is the first one that the TLS library finds.
  public enum TLSReason: Sendable, Hashable, CaseIterable {
    /// The server's certificate has expired.
    case certificateExpired
    /// The server's certificate is not valid yet.
    case certificateNotYetValid
    /// The server's certificate is for other host names.
    case wrongHost
    /// No trusted authority has signed the server's certificate.
    case untrustedIssuer
    /// The server's certificate is self-signed and not trusted.
    case selfSigned
    /// The issuer has revoked the server's certificate.
    case certificateRevoked
    /// The server's certificate was not accepted, and the TLS library does not give the reason.
    case certificateRejected
    /// The server's public key is not one of the pinned keys.
    case pinMismatch
    /// The server refused the client certificate, or requires one and got none.
    case clientCertificateRefused
    /// The client certificate or its key cannot be read.
    case clientCertificateUnusable
    /// The file of trusted authorities cannot be read.
    case authoritiesUnusable
    /// The two sides have no TLS version in common.
    case protocolVersion
    /// The server's port does not speak TLS.
    case notTLS
    /// The system allows no connection without TLS to this host, and the URL is an http URL.
    ///
    /// It is App Transport Security of Apple's systems. Nothing was sent.
    case required
    /// Any other failure of the handshake.
    case handshake
  }
}

extension TransportError.TLSReason {
  /// Makes the reason that matches an error message of an engine or of the TLS library under it.
  ///
  /// A message without a known reason gives `handshake`. It is meant for transports of your own.
  ///
  /// There are no error codes that all TLS libraries share. The initializer knows the messages of
  /// OpenSSL 1.1 and 3, BoringSSL, GnuTLS 3, and libcurl 7.68 and later.
  ///
  /// - Parameter words: The library's message, in any case.
  public init(words: String) {
    let words = words.lowercased().replacing("_", with: " ")
    func has(_ parts: String...) -> Bool { parts.contains { words.contains($0) } }
    self =
      if has("pinned public key") {
        .pinMismatch
      } else if Self.isRefusalOfClient(words) {
        .clientCertificateRefused
      } else if has("wrong version number", "packet length too long", "unexpected tls packet") {
        .notTLS
      } else if has("protocol version", "unsupported protocol", "version too low") {
        .protocolVersion
      } else if has("expired") {
        .certificateExpired
      } else if has("not yet valid", "not yet activated") {
        .certificateNotYetValid
      } else if has("revoked") {
        .certificateRevoked
      } else if has(
        "subject name", "target host", "hostname mismatch", "validate hostname",
        "ip address mismatch")
      {
        .wrongHost
      } else if has("in certificate chain", "issuer certificate", "first certificate") {
        .untrustedIssuer
      } else if has("self-signed", "self signed") {
        .selfSigned
      } else if has("key file") {
        .clientCertificateUnusable
      } else if has("certificate problem", "verification failed", "verify failed") {
        .certificateRejected
      } else {
        .handshake
      }
  }

  /// Returns whether the server complains about the client certificate.
  ///
  /// The complaint arrives as an alert (RFC 8446 §6.2), and an alert about certificates can only
  /// mean the client's.
  package static func isRefusalOfClient(_ words: String) -> Bool {
    let words = words.lowercased()
    return words.contains("alert")
      && (words.contains("certificate") || words.contains("unknown ca"))
      // GnuTLS names the alert, but does not say that it was one.
      || words.contains("ca is unknown")
  }

  var explanation: String {
    switch self {
    case .certificateExpired: "The server's certificate has expired"
    case .certificateNotYetValid: "The server's certificate is not valid yet"
    case .wrongHost: "The server's certificate is for another host"
    case .untrustedIssuer: "The server's certificate was not issued by an authority that is trusted"
    case .selfSigned: "The server's certificate is self-signed and not trusted"
    case .certificateRevoked: "The server's certificate was revoked"
    case .certificateRejected: "The server's certificate was not accepted"
    case .pinMismatch: "The server's public key is not one of those that are pinned"
    case .clientCertificateRefused: "The server refused the client certificate, or the lack of one"
    case .clientCertificateUnusable: "The client certificate or its key cannot be used"
    case .authoritiesUnusable: "The file of trusted authorities cannot be used"
    case .protocolVersion: "The server speaks no version of TLS that is allowed"
    case .notTLS: "The server's port does not speak TLS"
    case .required: "App Transport Security allows no connection without TLS to this host"
    case .handshake: "No trusted TLS connection could be made"
    }
  }

  var remedy: String {
    switch self {
    case .certificateExpired:
      "Renew the server's certificate, or check the clock of this machine."
    case .certificateNotYetValid:
      "Check the clock of this machine, and the first day of the server's certificate."
    case .wrongHost:
      "Use a host name that the certificate lists, or have one issued for this host."
    case .untrustedIssuer:
      "Set TLSOptions.authorities if the authority is your own. Otherwise have the server send its"
        + " intermediate certificates."
    case .selfSigned:
      "Set TLSOptions.authorities if the certificate is your own. Otherwise do not trust the server."
    case .certificateRevoked:
      "Replace the server's certificate and its key."
    case .certificateRejected:
      "Check its names, its dates and who issued it, and the time of this machine."
    case .pinMismatch:
      "Add the new key to TLSOptions.pinnedPublicKeys if the server's owner changed it. Otherwise do not"
        + " trust the server."
    case .clientCertificateRefused:
      "Set TLSOptions.clientCertificate to one that the server's authority issued and that is valid."
    case .clientCertificateUnusable:
      "Check that certificate and key belong together, and the key's passphrase."
    case .authoritiesUnusable:
      "Check that the file of TLSOptions.authorities holds whole PEM certificates."
    case .protocolVersion:
      "Upgrade the server; TLSOptions.minimumVersion can allow 1.2, nothing older."
    case .notTLS:
      "Use http:// for this port, or the port that the server has for https."
    case .required:
      "Use https://, or make an exception for the host under NSAppTransportSecurity in the app's Info.plist."
    case .handshake:
      "Check the server's ciphers, whether it wants a client certificate, and what its log says."
    }
  }
}
