import Foundation
import RESTKit

/// The placeholder of a secret in a recording, such as `recorded-secret-1`.
///
/// It has the length of the secret, unless this is too short. It keeps the format of a UUID, of a
/// date, of digits, of hexadecimal digits, of base64, of capital letters and of a JSON Web Token.
enum SecretPlaceholder {
  private static let prefix = "recorded-secret-"
  /// The digits at the beginning of a UUID and of hexadecimal digits.
  private static let digits = "5ec7e700"

  /// Returns a placeholder.
  ///
  /// - Parameter claims: Returns the claims of a JSON Web Token as they may be shown.
  static func text(
    _ number: Int, inPlaceOf secret: String, claims: (Data) -> Data = { $0 }
  ) -> String {
    if UUID(uuidString: secret) != nil {
      let uuid = "\(digits)-0000-4000-8000-\(padded(number, to: 12))"
      return secret.contains { $0.isUppercase } ? uuid.uppercased() : uuid
    }
    if let token = JSONWebToken(secret) {
      return token.with(claims(token.claims), signature: "\(prefix)\(number)").text
    }
    return date(number, inPlaceOf: secret) ?? digits(number, inPlaceOf: secret)
      ?? base64(number, inPlaceOf: secret) ?? plain(number, inPlaceOf: secret)
  }

  private static func padded(_ number: Int, to length: Int) -> String {
    String(repeating: "0", count: max(length - "\(number)".count, 0)) + "\(number)"
  }

  private static func plain(_ number: Int, inPlaceOf secret: String) -> String {
    let length = secret.count
    let name = (8...prefix.count).contains(length) ? "secret-\(number)" : "\(prefix)\(number)"
    let isCapital = secret.contains(where: \.isUppercase) && !secret.contains(where: \.isLowercase)
    // Each letter A is six bits without a one, so base64url without padding stays valid.
    let text = name + String(repeating: "A", count: max(length - name.count, 0))
    return isCapital ? text.uppercased() : text
  }

  // MARK: Numbers

  private static func digits(_ number: Int, inPlaceOf secret: String) -> String? {
    let bytes = secret.utf8
    if bytes.count >= 4, bytes.allSatisfy(\.isASCIIDigit) {
      // Ten of these digits are seconds since 1970, and thirteen are milliseconds.
      return "1" + padded(number, to: bytes.count - 1)
    }
    let hasCapitals = bytes.contains { (0x41...0x46).contains($0) }
    let letters: ClosedRange<UInt8> = hasCapitals ? 0x41...0x46 : 0x61...0x66
    guard bytes.count >= 16, bytes.contains(where: \.isASCIIDigit),
      bytes.allSatisfy({ $0.isASCIIDigit || letters.contains($0) })
    else { return nil }
    let text = digits + padded(number, to: bytes.count - digits.utf8.count)
    return hasCapitals ? text.uppercased() : text
  }

  // MARK: Dates

  private static func date(_ number: Int, inPlaceOf secret: String) -> String? {
    let pattern =
      #/
      \d{4}-\d\d-\d\d
      (?: (?<separator>[T\ ]) \d\d:\d\d:\d\d (?<fraction>\.\d+)? (?<zone> Z | [+\-]\d\d:?\d\d )? )?
    /#
    let time = "00:\(padded(number / 60 % 60, to: 2)):\(padded(number % 60, to: 2))"
    if let parts = secret.wholeMatch(of: pattern)?.output {
      guard let separator = parts.separator else {
        let (months, day) = (number - 1).quotientAndRemainder(dividingBy: 28)
        let month = padded(months % 12 + 1, to: 2)
        return "\(2_001 + months / 12)-\(month)-\(padded(day + 1, to: 2))"
      }
      let fraction = parts.fraction.map { "." + String(repeating: "0", count: $0.count - 1) }
      return "2001-01-01\(separator)\(time)\(fraction ?? "")\(parts.zone ?? "")"
    }
    return HTTPDate.secondsSince1970(secret, now: 0).map { _ in "Mon, 01 Jan 2001 \(time) GMT" }
  }

  // MARK: Encodings

  private static func base64(_ number: Int, inPlaceOf secret: String) -> String? {
    guard secret.hasSuffix("=") || secret.contains("+") || secret.contains("/"),
      let data = Data(base64Encoded: secret)
    else { return nil }
    let text = "\(prefix)\(number)"
    let rest = String(repeating: ".", count: max(data.count - text.utf8.count, 0))
    return Data((text + rest).utf8).base64EncodedString()
  }

  // MARK: Old recordings

  /// Returns the placeholders in a text of a recording that has no list of them.
  static func guessed(in text: String) -> [String] {
    text.matches(of: oldPattern).map { String($0.output) }
  }

  // A regex is not Sendable, so it is made at each use.
  private static var oldPattern: Regex<Substring> {
    #/
      (?:eyJ[\w\-]+\.eyJ[\w\-]+\.)?recorded-secret-[0-9]+
      | 5(?:ec7e700|EC7E700)[0-9\-]{8,}
      | cmVjb3JkZWQtc2VjcmV0L[A-Za-z0-9+\/]+=*
    /#
  }
}

/// A JSON Web Token in its compact form (RFC 7515 §3.1).
struct JSONWebToken {
  private var parts: [Substring]

  /// - Returns: nil for another text.
  init?(_ text: String) {
    parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].hasPrefix("eyJ"), parts[1].hasPrefix("eyJ"),
      parts.allSatisfy({ part in !part.isEmpty && part.utf8.allSatisfy { $0.isUnreserved } })
    else { return nil }
  }

  var text: String { parts.joined(separator: ".") }

  /// The claims as JSON; empty if they are not in base64url.
  var claims: Data {
    let text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
    return Data(base64Encoded: text + padding) ?? Data()
  }

  /// Returns a token with other claims and another signature.
  ///
  /// The spelling of unchanged claims stays.
  func with(_ claims: Data, signature: String? = nil) -> JSONWebToken {
    var token = self
    if claims != self.claims {
      token.parts[1] =
        claims.base64EncodedString().replacing("+", with: "-")
        .replacing("/", with: "_")[...].trimmingPadding
    }
    if let signature { token.parts[2] = signature[...] }
    return token
  }
}

extension Substring {
  fileprivate var trimmingPadding: Substring { prefix { $0 != "=" } }
}
