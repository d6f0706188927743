/// A reader for the value of a header field, from left to right, byte by byte.
///
/// If the expected text does not come next, the reader stays at its position.
package struct FieldReader {
  private var rest: Substring.UTF8View

  package init(_ text: String) {
    rest = Substring(text).utf8
  }

  package var isAtEnd: Bool { rest.isEmpty }

  /// Takes one ASCII character.
  package mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  /// Takes spaces and tabs (OWS of RFC 9110 §5.6.3).
  package mutating func skipBlanks() {
    rest = rest.drop(while: \.isBlank)
  }

  /// Takes a number with exactly this many digits, nine at most.
  mutating func number(digits: Int) -> Int? {
    let text = rest.prefix(digits)
    guard text.count == digits, text.allSatisfy(\.isASCIIDigit) else { return nil }
    rest = rest[text.endIndex...]
    return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// Takes a number of any length.
  ///
  /// - Parameter most: The result for any larger number.
  package mutating func number(upTo most: Int64) -> Int64? {
    let text = rest.prefix(while: \.isASCIIDigit)
    guard !text.isEmpty else { return nil }
    rest = rest[text.endIndex...]
    return text.reduce(0) { number, digit in
      let digit = Int64(digit - UInt8(ascii: "0"))
      return number > (most - digit) / 10 ? most : number * 10 + digit
    }
  }

  /// Takes one of these words, in letters of any case.
  ///
  /// - Parameter names: The words, in lower case.
  /// - Returns: The index of the word.
  mutating func word(of names: [String]) -> Int? {
    let letters = rest.prefix(while: \.isASCIILetter)
    let place = names.firstIndex { name in
      name.utf8.elementsEqual(letters) { $0 == $1 | 0x20 }
    }
    if place != nil { rest = rest[letters.endIndex...] }
    return place
  }
}

extension UInt8 {
  /// A space or a tab.
  @inlinable package var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension Substring {
  /// The text without the spaces and tabs around it.
  @inlinable package var trimmingBlanks: Substring {
    guard let start = utf8.firstIndex(where: { !$0.isBlank }),
      let end = utf8.lastIndex(where: { !$0.isBlank })
    else { return "" }
    return self[start...end]
  }
}

extension Int64 {
  /// Reads digits only, without a sign.
  ///
  /// The result is nil for any other text, and for a number that does not fit.
  @inlinable package init?(digits text: Substring) {
    guard text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    self.init(text)
  }
}

/// The members of a header field that is a list (RFC 9110 §5.6.1).
package enum FieldMembers {
  /// Splits a text at the commas outside quotes.
  ///
  /// Blanks around a member and empty members are dropped.
  ///
  /// - Parameters:
  ///   - separator: The separator in place of the comma.
  ///   - hasEscapes: Whether a backslash in quotes escapes the next character. In an entity tag, it
  ///     does not.
  package static func split(
    _ text: some StringProtocol, at separator: Unicode.Scalar = ",", hasEscapes: Bool = true
  ) -> [Substring] {
    let text = Substring(text)
    let separator = UInt8(ascii: separator)
    var members: [Substring] = []
    var start = text.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in text.utf8.indices {
      let byte = text.utf8[index]
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if hasEscapes, isQuoted, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if !isQuoted, byte == separator {
        append(text[start..<index], to: &members)
        start = text.utf8.index(after: index)
      }
    }
    append(text[start...], to: &members)
    return members
  }

  private static func append(_ part: Substring, to members: inout [Substring]) {
    let member = part.trimmingBlanks
    if !member.isEmpty { members.append(member) }
  }
}
