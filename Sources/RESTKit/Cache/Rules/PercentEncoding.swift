/// The escapes of a URL in their normal form (RFC 3986 §6.2.2), so that equal URLs have one key.
enum PercentEncoding {
  /// Returns a text with the escapes of unreserved characters undone, and with the digits of the
  /// others in upper case.
  ///
  /// - Returns: nil if that changes nothing, as in most URLs.
  static func normalized(_ text: Substring) -> String? {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return nil }
    let bytes = Array(text.utf8)
    var normal: [UInt8] = []
    normal.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      guard bytes[place] == UInt8(ascii: "%"), place + 2 < bytes.count,
        let high = bytes[place + 1].hexDigitValue, let low = bytes[place + 2].hexDigitValue
      else {
        normal.append(bytes[place])
        place += 1
        continue
      }
      let byte = high << 4 | low
      normal += byte.isUnreserved ? [byte] : [bytes[place], high.asHexDigit, low.asHexDigit]
      place += 3
    }
    return normal == bytes ? nil : String(decoding: normal, as: UTF8.self)
  }
}
