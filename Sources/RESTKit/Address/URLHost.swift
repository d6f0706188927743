import Foundation

/// The host of a base URL, checked and in its normal form.
struct URLHost: Hashable, Sendable {
  /// The host in lower case; an IPv6 address has no brackets.
  let name: String
  let isIPv6: Bool

  /// The host in the form of a URL.
  var text: String { isIPv6 ? "[\(name)]" : name }

  /// Reads a name or an IPv4 address.
  ///
  /// A name beyond ASCII becomes its IDNA form, as in Foundation. A dot at the end is kept.
  ///
  /// - Returns: nil for a text that is not a name by RFC 1123: letters, digits, hyphens, and also
  ///   underscores, in labels of 1 to 63 bytes, up to 253 bytes in all.
  init?(name text: some StringProtocol) {
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    guard let ascii = isASCII ? String(text) : Self.idna(String(text)) else { return nil }
    let name = ascii.lowercased()
    guard Self.isName(name.utf8) else { return nil }
    self.name = name
    self.isIPv6 = false
  }

  /// Reads the text between brackets: RFC 3986, section 3.2.2, without zones.
  ///
  /// - Returns: nil for a text that is not an IPv6 address by RFC 4291, section 2.2.
  init?(ipv6 text: some StringProtocol) {
    guard text.utf8.count <= 45 else { return nil }
    let halves = String(text).lowercased().components(separatedBy: "::")
    guard halves.count <= 2 else { return nil }
    var count = 0
    for (place, half) in halves.enumerated() where !half.isEmpty {
      let groups = half.split(separator: ":", omittingEmptySubsequences: false)
      for (index, group) in groups.enumerated() {
        let isLast = place == halves.count - 1 && index == groups.count - 1
        if isLast, group.contains(".") {
          guard Self.isIPv4(group) else { return nil }
          count += 2
        } else {
          guard 1...4 ~= group.utf8.count, group.utf8.allSatisfy({ $0.hexDigitValue != nil })
          else { return nil }
          count += 1
        }
      }
    }
    guard halves.count == 2 ? count <= 7 : count == 8 else { return nil }
    name = text.lowercased()
    isIPv6 = true
  }

  private static func isName(_ text: String.UTF8View) -> Bool {
    var label = 0
    for byte in text {
      if byte == UInt8(ascii: ".") {
        guard 1...63 ~= label else { return false }
        label = 0
      } else {
        guard
          byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
        else { return false }
        label += 1
      }
    }
    let endsInDot = label == 0
    return label <= 63 && !text.isEmpty && text.count - (endsInDot ? 1 : 0) <= 253
  }

  private static func isIPv4(_ text: Substring) -> Bool {
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4
      && numbers.allSatisfy { number in
        number.utf8.allSatisfy(\.isASCIIDigit)
          && (number.utf8.count == 1 || number.utf8.first != UInt8(ascii: "0"))
          && UInt8(number) != nil
      }
  }

  private static func idna(_ name: String) -> String? {
    let scheme = "https://"
    guard let text = URL(string: "\(scheme)\(name)/")?.absoluteString, text.hasPrefix(scheme),
      text.hasSuffix("/")
    else { return nil }
    // The caller checks the letters, so that it finds a separator that the mapping made.
    return String(text.dropFirst(scheme.count).dropLast())
  }
}
