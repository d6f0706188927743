/// The members of a field that is a list (RFC 9110 §5.6.1).
enum FieldMembers {
  /// Splits at the commas that stand outside of quotes; blanks around a member and empty members go.
  ///
  /// - Parameter hasEscapes: Whether a backslash in quotes takes the meaning of what follows; in an
  ///   entity tag it does not.
  static func split(_ text: String, hasEscapes: Bool = true) -> [Substring] {
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
      } else if !isQuoted, byte == UInt8(ascii: ",") {
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
