import Foundation
import RESTKit

/// The placeholder of a secret in a recording, such as `recorded-secret-1`.
///
/// It keeps the format of a UUID, of hexadecimal digits, of base64 and of a JSON Web Token, whose
/// claims stay.
enum SecretPlaceholder {
  private static let prefix = "recorded-secret-"
  /// The digits at the beginning of a UUID and of hexadecimal digits.
  private static let digits = "5ec7e700"

  static func text(_ number: Int, inPlaceOf secret: String) -> String {
    let plain = "\(prefix)\(number)"
    if UUID(uuidString: secret) != nil {
      let uuid = "\(digits)-0000-4000-8000-\(padded(number, to: 12))"
      return secret.contains { $0.isUppercase } ? uuid.uppercased() : uuid
    }
    if let claims = claims(of: secret) { return "\(claims).\(plain)" }
    if isHexadecimal(secret) {
      return digits + padded(number, to: secret.utf8.count - digits.utf8.count)
    }
    if secret.hasSuffix("="), let data = Data(base64Encoded: secret) {
      let rest = String(repeating: ".", count: max(data.count - plain.utf8.count, 0))
      return Data((plain + rest).utf8).base64EncodedString()
    }
    return plain
  }

  private static func padded(_ number: Int, to length: Int) -> String {
    String(repeating: "0", count: max(length - "\(number)".count, 0)) + "\(number)"
  }

  private static func isHexadecimal(_ text: String) -> Bool {
    text.utf8.count >= 32 && text.utf8.allSatisfy { $0.isASCIIDigit || (0x61...0x66).contains($0) }
  }

  /// Returns the header and the claims of a token (RFC 7515 §3.1), or nil for another text.
  private static func claims(of token: String) -> String? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3,
      parts.allSatisfy({ part in
        !part.isEmpty && part.utf8.allSatisfy { $0.isUnreserved }
      }), parts[0].hasPrefix("eyJ"), parts[1].hasPrefix("eyJ")
    else { return nil }
    return "\(parts[0]).\(parts[1])"
  }

  /// Returns bytes as a text with a character for each byte, or nil if they contain no placeholder.
  static func text(of bytes: Data) -> String? {
    let isKnown = [prefix, digits, Data(prefix.utf8).base64EncodedString()].contains { mark in
      bytes.range(of: Data(mark.utf8.prefix(20))) != nil
    }
    guard isKnown else { return nil }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// Returns the placeholders in a text, in order.
  static func all(in text: String) -> [Substring] {
    text.matches(of: pattern).map(\.output)
  }

  /// Returns the parts of a text between the placeholders that match any value.
  static func literals(of text: String, free: Set<String>) -> [Substring] {
    var literals: [Substring] = []
    var start = text.startIndex
    for match in text.matches(of: pattern) where free.contains(String(match.output)) {
      literals.append(text[start..<match.range.lowerBound])
      start = match.range.upperBound
    }
    return literals + [text[start...]]
  }

  // A regex is not Sendable, so it is made at each use.
  private static var pattern: Regex<Substring> {
    #/
      (?:eyJ[\w\-]+\.eyJ[\w\-]+\.)?recorded-secret-[0-9]+
      | 5(?:ec7e700|EC7E700)[0-9\-]{8,}
      | cmVjb3JkZWQtc2VjcmV0L[A-Za-z0-9+\/]+=*
    /#
  }
}
