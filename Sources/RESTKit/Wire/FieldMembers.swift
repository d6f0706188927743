/// The members of a header field that is a list (RFC 9110 §5.6.1).
enum FieldMembers {
  /// Splits a text at the commas outside quotes.
  ///
  /// Blanks around a member and empty members are dropped.
  ///
  /// - Parameters:
  ///   - separator: The separator in place of the comma.
  ///   - hasEscapes: Whether a backslash in quotes escapes the next character. In an entity tag, it does
  ///     not.
  static func split(
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
