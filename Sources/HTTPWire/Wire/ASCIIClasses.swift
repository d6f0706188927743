/// The classes of characters that RFC 3986 builds URLs from.
extension UInt8 {
  package var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  @inlinable package var isASCIILowercaseLetter: Bool { self &- UInt8(ascii: "a") < 26 }

  @inlinable package var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  /// Whether the byte is a control character of ASCII, such as NUL, tab, line feed or DEL.
  var isASCIIControl: Bool { self < 0x20 || self == 0x7F }

  /// The value of a hexadecimal digit, or nil for any other byte.
  package var hexDigitValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The hexadecimal digit of a value below 16, in upper case as RFC 3986 recommends.
  package var asHexDigit: UInt8 { self + (self < 10 ? UInt8(ascii: "0") : UInt8(ascii: "A") - 10) }

  /// Whether the byte needs no escape anywhere in a URL (RFC 3986 §2.3).
  package var isUnreserved: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default:
      false
    }
  }

  /// Whether the byte needs no escape in a path segment (RFC 3986 §3.3).
  var isPathCharacter: Bool {
    switch self {
    case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"),
      UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"),
      UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: ":"),
      UInt8(ascii: "@"):
      true
    default:
      isUnreserved
    }
  }
}

extension StringProtocol {
  /// The text without a leading `/`, compared by bytes: a combining mark after the slash stays.
  var droppingFirstSlash: Substring {
    let isSlash = utf8.first == UInt8(ascii: "/")
    return Substring(self[(isSlash ? utf8.index(after: startIndex) : startIndex)...])
  }
}

extension String {
  /// Makes a text of `bytes`, with a percent sign and two digits for each byte that is not plain.
  init(percentEncoding bytes: some Collection<UInt8>, except isPlain: (UInt8) -> Bool) {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count * 3)
    for byte in bytes {
      if isPlain(byte) {
        encoded.append(byte)
      } else {
        encoded.append(UInt8(ascii: "%"))
        encoded.append((byte >> 4).asHexDigit)
        encoded.append((byte & 0xF).asHexDigit)
      }
    }
    self.init(decoding: encoded, as: UTF8.self)
  }

  /// Appends `text` with every character percent-encoded as UTF-8, except the unreserved ones of
  /// RFC 3986.
  mutating func appendEncodingAllButUnreserved(_ text: String) {
    guard text.utf8.contains(where: { !$0.isUnreserved }) else { return append(text) }
    append(String(percentEncoding: text.utf8, except: \.isUnreserved))
  }
}
