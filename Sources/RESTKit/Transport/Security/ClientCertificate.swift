import Foundation

/// The certificate and key that a transport presents to a server that requests them.
///
/// Its descriptions never contain the passphrase.
public struct ClientCertificate: Sendable, Hashable {
  /// A PEM file with the certificate, followed by certificates of its issuers that the server may lack.
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
    "certificate \(certificate.path), key \(key.path)"
      + (passphrase == nil ? "" : ", passphrase hidden")
  }

  public var debugDescription: String { description }

  // `dump` would print the passphrase.
  public var customMirror: Mirror { Mirror(self, children: ["files": description]) }
}
