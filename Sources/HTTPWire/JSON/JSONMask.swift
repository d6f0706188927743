import Foundation

/// A JSON text with some of its values hidden.
///
/// Names, order, blanks and nesting stay unchanged.
///
/// A hidden string becomes `"<redacted>"` and a hidden number 0. So a type that decodes the original
/// also decodes the masked text, if it accepts any string. `true`, `false` and `null` stay unchanged.
package struct JSONMask {
  /// A value that is hidden.
  package enum Value {
    /// A string, without its quotes and escapes.
    case string(String)
    /// A number in its original spelling.
    case number(String)
  }

  /// A closure that returns the replacement for a hidden value as JSON, or nil to keep the value.
  ///
  /// Its first argument is the name of the member that hides the value.
  package typealias Replacement = (String, Value) -> String?

  private struct Container {
    let isObject: Bool
    /// The name that hides all values in the container; nil if none does.
    let hidingName: String?
    var isAtName: Bool
    /// The name that hides the next value.
    var nextHidingName: String?
  }

  private let bytes: [UInt8]
  private let hides: (String) -> Bool
  private let replacement: Replacement
  private var position = 0
  private var result: [UInt8] = []
  private var containers: [Container] = []

  /// - Parameters:
  ///   - body: The JSON text.
  ///   - hides: A closure that returns whether the value of a member with this name is hidden, with all
  ///     values in it. A value outside any member has the name "".
  ///   - replacement: A closure that returns the replacement for a hidden value.
  /// - Returns: nil if the body is not JSON.
  package static func masked(
    _ body: Data, hides: @escaping (String) -> Bool,
    replacement: @escaping Replacement = Self.mark
  ) -> Data? {
    // The body is checked first, because the code below requires valid JSON.
    guard (try? JSONEnvelope.unwrap(body, key: "")) != nil else { return nil }
    var mask = JSONMask(bytes: Array(body), hides: hides, replacement: replacement)
    return Data(mask.run())
  }

  /// The default replacement, which reveals nothing about the value.
  package static func mark(_ name: String, _ value: Value) -> String? {
    switch value {
    case .string: "\"\(Redaction.mark)\""
    case .number: "0"
    }
  }

  private init(
    bytes: [UInt8], hides: @escaping (String) -> Bool, replacement: @escaping Replacement
  ) {
    self.bytes = bytes
    self.hides = hides
    self.replacement = replacement
  }

  private mutating func run() -> [UInt8] {
    let outerName = hides("") ? "" : nil
    while position < bytes.count {
      let hidingName =
        containers.isEmpty ? outerName : containers[containers.count - 1].nextHidingName
      switch bytes[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isObject = bytes[position] == UInt8(ascii: "{")
        containers.append(
          Container(
            isObject: isObject, hidingName: hidingName, isAtName: isObject,
            nextHidingName: hidingName))
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
          let name = Self.text(of: token)
          containers[last].nextHidingName =
            containers[last].hidingName ?? (hides(name) ? name : nil)
          result += token
        } else {
          append(token, hiddenBy: hidingName) { .string(Self.text(of: token)) }
        }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        let token = number()
        append(token, hiddenBy: hidingName) { .number(String(decoding: token, as: UTF8.self)) }
      default:
        copyByte()
      }
    }
    return result
  }

  private mutating func append(
    _ token: ArraySlice<UInt8>, hiddenBy name: String?, value: () -> Value
  ) {
    if let name, let text = replacement(name, value()) {
      result += text.utf8
    } else {
      result += token
    }
  }

  private mutating func copyByte() {
    result.append(bytes[position])
    position += 1
  }

  /// Returns the string at the position, with its quotes.
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

extension Redaction {
  /// The body in a form that may be shown; nil if no part of it may.
  ///
  /// - Parameter contentEncoding: The content coding of the bytes; nil for none.
  package func body(_ data: Data, contentType: String?, contentEncoding: String? = nil) -> Data? {
    if self == .none || data.isEmpty { return data }
    // Secrets in compressed bytes cannot be found.
    guard contentEncoding == nil else { return nil }
    let type = contentType?.lowercased() ?? ""
    if type.hasPrefix("application/x-www-form-urlencoded") {
      return Data(fields(String(decoding: data, as: UTF8.self), mark: Self.markInURL).utf8)
    }
    // A multipart body would have to be split to hide single parts.
    if type.hasPrefix("multipart/") { return nil }
    if let masked = JSONMask.masked(data, hides: hides(valueOf:)) { return masked }
    // Text that is not JSON has no names to hide by. Text that claims to be JSON may be a cut one.
    return self == .byName && !type.contains("json") ? data : nil
  }
}
