import Foundation

/// The secret that binds an authorization code to the client that requested it (RFC 7636).
struct ProofKey: Sendable {
  /// The secret: 256 random bits in 43 characters (§4.1).
  let verifier: String

  init() { verifier = Data.random(byteCount: 32).base64URLText }

  init(verifier: String) { self.verifier = verifier }

  /// The verifier's hash, made with the method `S256` (§4.2).
  var challenge: String { Data(SHA256.hash(verifier.utf8)).base64URLText }
}

extension Data {
  /// Returns bytes of the system's generator, which is suitable for keys.
  static func random(byteCount: Int) -> Data {
    var generator = SystemRandomNumberGenerator()
    return Data((0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  /// The bytes in base64url without padding (RFC 4648 §5, RFC 7515 §2).
  var base64URLText: String {
    base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }
}
