import Foundation

/// JSON with some of its values hidden, and all else as it stood: names, order, blanks, nesting.
///
/// A hidden string becomes `"<redacted>"` and a hidden number 0, so that what decodes the original
/// decodes the masked one as well, where it takes any string for a string. `true`, `false` and
/// `null` stay.
struct JSONMask {
  private struct Container {
    let isObject: Bool
    /// Whether all values in it are hidden.
    let isHidden: Bool
    var isAtName: Bool
    /// Whether the value that is next is hidden.
    var hidesNext: Bool
  }

  private let bytes: [UInt8]
  private let hides: (String) -> Bool
  private var position = 0
  private var result: [UInt8] = []
  private var containers: [Container] = []

  /// - Parameter hides: Whether the value of a member of this name, and all within it, is hidden. A
  ///   value outside of any member has the name "".
  /// - Returns: nil where the body is not JSON.
  static func masked(_ body: Data, hides: @escaping (String) -> Bool) -> Data? {
    // Checked first: what is done below is right for valid JSON only.
    guard (try? JSONEnvelope.unwrap(body, key: "")) != nil else { return nil }
    var mask = JSONMask(bytes: Array(body), hides: hides)
    return Data(mask.run())
  }

  private init(bytes: [UInt8], hides: @escaping (String) -> Bool) {
    self.bytes = bytes
    self.hides = hides
  }

  private mutating func run() -> [UInt8] {
    let hidesAll = hides("")
    while position < bytes.count {
      let isHidden = containers.last?.hidesNext ?? hidesAll
      switch bytes[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isObject = bytes[position] == UInt8(ascii: "{")
        containers.append(
          Container(
            isObject: isObject, isHidden: isHidden, isAtName: isObject, hidesNext: isHidden))
        copyByte()
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = containers.popLast()
        copyByte()
      case UInt8(ascii: ","):
        if let last = containers.indices.last { containers[last].isAtName = true }
        copyByte()
      case UInt8(ascii: "\""):
        let token = string()
        if let last = containers.indices.last, containers[last].isObject, containers[last].isAtName
        {
          containers[last].isAtName = false
          containers[last].hidesNext = containers[last].isHidden || hides(Self.text(of: token))
          result += token
        } else {
          result += isHidden ? ArraySlice("\"\(Redaction.mark)\"".utf8) : token
        }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        let token = number()
        result += isHidden ? [UInt8(ascii: "0")] : token
      default:
        copyByte()
      }
    }
    return result
  }

  private mutating func copyByte() {
    result.append(bytes[position])
    position += 1
  }

  /// The string at the position, with its quotes.
  private mutating func string() -> ArraySlice<UInt8> {
    let start = position
    position += 1
    while bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    position += 1
    return bytes[start..<position]
  }

  private mutating func number() -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, Self.isInNumber(bytes[position]) { position += 1 }
    return bytes[start..<position]
  }

  private static func isInNumber(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte)
  }

  private static func text(of token: ArraySlice<UInt8>) -> String {
    guard token.contains(UInt8(ascii: "\\")) else {
      return String(decoding: token.dropFirst().dropLast(), as: UTF8.self)
    }
    return (try? JSONDecoder().decode(String.self, from: Data(token))) ?? ""
  }
}
