import Foundation

/// Whom a transport trusts over TLS, and who it says it is.
///
/// Certificates, names and dates are always verified: there is no switch to turn that off. For a
/// server with a certificate of your own making, name its authority.
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
/// What a file holds is looked at when the transport is made, and a file that is missing, or is not
/// what it should be, is an error then.
public struct TLSOptions: Sendable, Hashable {
  /// Whose signature makes a server's certificate good.
  public enum Authorities: Sendable, Hashable {
    /// Those of this machine: over libcurl the file of them that it was built to look for, such as
    /// `/etc/ssl/certs/ca-certificates.crt`, and its folder where there is no such file.
    case system
    /// Those in a file of PEM certificates, and no others.
    case file(URL)
    /// Those of this machine, and those in a file of PEM certificates.
    case systemAndFile(URL)
  }

  /// The oldest version of TLS that is spoken.
  public enum Version: Sendable, Hashable {
    /// TLS 1.2 (RFC 5246).
    case tls12
    /// TLS 1.3 (RFC 8446).
    case tls13
  }

  /// Whose signature makes a server's certificate good; the system's.
  public var authorities = Authorities.system
  /// What is shown to a server that asks who calls; none.
  public var clientCertificate: ClientCertificate?
  /// SHA-256 digests of public keys, in base64, with or without `sha256//` before them; none.
  ///
  /// Where there are any, the server's own key must be one of them, besides all else that is
  /// verified. A digest is of the key's SubjectPublicKeyInfo in DER (RFC 7469 §2.4). Keep the pin
  /// of a second key at hand: a server that changes its key is locked out otherwise.
  public var pinnedPublicKeys: [String] = []
  /// The oldest version of TLS that is spoken; 1.2.
  public var minimumVersion = Version.tls12

  public init() {}
}
