import Foundation
import HTTPWire

/// The TLS options of a transport: its trusted authorities, and its own certificate.
///
/// Certificates, names and dates are always verified, and no option disables that. For a server
/// with a certificate of your own, set its authority.
///
/// ```swift
/// var tls = TLSOptions()
/// tls.authorities = .file(URL(filePath: "/etc/bank/ca.pem"))
/// tls.clientCertificate = ClientCertificate(
///   certificate: URL(filePath: "/etc/bank/client.pem"), key: URL(filePath: "/etc/bank/client.key"))
/// tls.pinnedPublicKeys = ["sha256//YhKJKSzoTt2b5FP18fvpHo7fJYqQCjAa3HWY3tvRMwE="]
/// let transport = try CurlTransport(tls: tls)
/// ```
///
/// The files are read when the transport is created. A missing or invalid file is an error then.
public struct TLSOptions: Sendable, Hashable {
  /// The certificate authorities that a transport trusts.
  public enum Authorities: Sendable, Hashable {
    /// The authorities of this machine. With libcurl, these are in the file that it was built to
    /// use, such as `/etc/ssl/certs/ca-certificates.crt`, or in its folder if there is no such
    /// file.
    case system
    /// The authorities in a file of PEM certificates, and no others.
    case file(URL)
    /// The authorities of this machine, and those in a file of PEM certificates.
    case systemAndFile(URL)
  }

  /// The minimum version of TLS.
  public enum Version: Sendable, Hashable {
    /// TLS 1.2 (RFC 5246).
    case tls12
    /// TLS 1.3 (RFC 8446).
    case tls13
  }

  /// The trusted authorities; by default the system's.
  public var authorities = Authorities.system
  /// The certificate for servers that request one; by default none.
  public var clientCertificate: ClientCertificate?
  /// The SHA-256 digests of pinned public keys in base64, with or without the prefix `sha256//`; by
  /// default none.
  ///
  /// If there are pins, the server's own key must match one of them, in addition to all other
  /// checks. A digest is that of the key's SubjectPublicKeyInfo in DER (RFC 7469 §2.4). Also pin a
  /// second key that is kept in reserve. Otherwise, a server that changes its key is locked out.
  public var pinnedPublicKeys: [String] = []
  /// The minimum version of TLS; by default 1.2.
  public var minimumVersion = Version.tls12

  public init() {}
}

/// The certificate and key that a transport presents to a server that requests them.
///
/// Its descriptions never contain the passphrase.
public struct ClientCertificate: Sendable, Hashable {
  /// A PEM file with the certificate, followed by certificates of its issuers that the server may
  /// lack.
  public var certificate: URL
  /// A PEM file with the private key.
  public var key: URL
  /// The passphrase of the key, or nil if the key is not encrypted.
  public var passphrase: String?

  /// - Parameters:
  ///   - certificate: A PEM file with the certificate; further certificates may follow it.
  ///   - key: A PEM file with the private key; it may be the same file.
  ///   - passphrase: The passphrase of the key, or nil if the key is not encrypted.
  public init(certificate: URL, key: URL, passphrase: String? = nil) {
    self.certificate = certificate
    self.key = key
    self.passphrase = passphrase
  }
}

extension ClientCertificate: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The files' paths, and whether there is a passphrase.
  public var description: String {
    "certificate \(certificate.path), key \(key.path)".printable
      + (passphrase == nil ? "" : ", passphrase hidden")
  }

  public var debugDescription: String { description }

  // `dump` would print the passphrase.
  public var customMirror: Mirror { Mirror(self, children: ["files": description]) }
}
