import Foundation

/// A text that is no JSON with its secrets hidden: `NAME=value`, `name: value`, members of a cut
/// JSON, literals of GraphQL, markup.
///
/// It reads the text once, from the left, and what it hides is behind it.
struct TextMask {
  private let bytes: [UInt8]
  private let mask: ContentMask
  private let depth: Int
  private var position = 0
  private var result: [UInt8] = []
  /// The name of a secret that a member of the object names, whose value is another member.
  private var secretName: String?
  /// The end of the last string that was looked into in vain: each byte is read for one quote.
  private var plainEnd = 0

  init(_ text: String, mask: ContentMask, depth: Int) {
    bytes = Array(text.utf8)
    self.mask = mask
    self.depth = depth
  }

  /// Returns the text without its secrets.
  func masked() -> String {
    var copy = self
    copy.run()
    return String(decoding: copy.result, as: UTF8.self)
  }

  private mutating func run() {
    result.reserveCapacity(bytes.count)
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "<") {
        tag()
      } else if Self.isNamePart(bytes[position]) {
        assignment()
      } else if bytes[position] != UInt8(ascii: "\"") || !escapedText() {
        if bytes[position] == UInt8(ascii: "}") { secretName = nil }
        copy(to: position + 1)
      }
    }
  }

  /// Reads the string at the position as a text of its own, if it has escapes.
  ///
  /// - Returns: Whether a secret was in it.
  private mutating func escapedText() -> Bool {
    guard position >= plainEnd else { return false }
    let end = stringEnd(from: position)
    guard bytes[position..<end].contains(UInt8(ascii: "\\")) else { return false }
    plainEnd = end
    guard
      let text = try? JSONDecoder().decode(String.self, from: Data(bytes[position..<end]))
    else { return false }
    let masked = mask.inside(text, depth: depth + 1)
    guard masked != text else { return false }
    result += JSONMask.quoted(masked).utf8
    position = end
    return true
  }

  // MARK: Assignments

  private mutating func assignment() {
    let start = position
    let end = end(from: start, while: Self.isNamePart)
    copy(to: end)
    let isQuoted = end < bytes.count && Self.quotes.contains(bytes[end]) || isEscapedQuote(at: end)
    var place = isQuoted ? end + (isEscapedQuote(at: end) ? 2 : 1) : end
    place = skipBlanks(from: place, overLines: isQuoted)
    // A name behind `$` is a variable, whose type follows.
    let isVariable = start > 0 && bytes[start - 1] == UInt8(ascii: "$")
    guard let sign = byte(at: place), sign == UInt8(ascii: "=") || sign == UInt8(ascii: ":"),
      byte(at: place + 1) != sign, !isVariable
    else { return }
    let name = String(decoding: bytes[start..<end], as: UTF8.self)
    if JSONPairs.keys.contains(name), case let named = string(at: place + 1), mask.isSecret(named) {
      secretName = named
      return
    }
    let pairName = JSONPairs.values.contains(name) ? secretName : nil
    guard mask.isSecret(name) || pairName != nil else { return }
    let isLine = !isQuoted && beginsLine(at: start)
    copy(to: place + 1)
    copy(to: skipBlanks(from: position, overLines: isQuoted))
    hideValue(
      of: pairName ?? name, isQuoted: isQuoted, isLine: isLine, isEqual: sign == UInt8(ascii: "="))
  }

  private mutating func hideValue(of name: String, isQuoted: Bool, isLine: Bool, isEqual: Bool) {
    guard let first = byte(at: position) else { return }
    if Self.quotes.contains(first) || isEscapedQuote(at: position) {
      hideString(of: name)
    } else if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      hideStringsOfContainer(of: name)
    } else {
      hideWord(of: name, isQuoted: isQuoted, isLine: isLine, isEqual: isEqual)
    }
  }

  /// Hides the string at the position, and keeps its quotes.
  ///
  /// A string without an end ends with the text.
  private mutating func hideString(of name: String) {
    let quote = isEscapedQuote(at: position) ? 2 : 1
    let mark = bytes[position + quote - 1]
    // Three quotes begin a block of GraphQL.
    let isBlock = quote == 1 && byte(at: position + 1) == mark && byte(at: position + 2) == mark
    let length = isBlock ? 3 : quote
    copy(to: position + length)
    let start = position
    var end = start
    while end < bytes.count {
      let isEnd =
        quote == 2
        ? isEscapedQuote(at: end)
        : bytes[end] == mark && (!isBlock || byte(at: end + 1) == mark && byte(at: end + 2) == mark)
      if isEnd { break }
      end += quote == 1 && bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    hide(to: min(end, bytes.count), of: name)
    copy(to: min(position + length, bytes.count))
  }

  /// Hides the strings in the array or object at the position, which may have no end.
  private mutating func hideStringsOfContainer(of name: String) {
    var level = 0
    repeat {
      switch bytes[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): level += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): level -= 1
      case UInt8(ascii: "\""):
        if isName(at: position) {
          copy(to: stringEnd(from: position))
        } else {
          hideString(of: name)
        }
        continue
      default: break
      }
      copy(to: position + 1)
    } while level > 0 && position < bytes.count
  }

  private mutating func hideWord(of name: String, isQuoted: Bool, isLine: Bool, isEqual: Bool) {
    let line = end(from: position) { $0 != 0x0A && $0 != 0x0D }
    var end = isLine ? line : end(from: position) { !Self.ends.contains($0) }
    let word = String(decoding: bytes[position..<end], as: UTF8.self)
    // A reference to a value is none, and a number may be a fact about one.
    guard !word.isEmpty, !word.hasPrefix("$"), !Self.constants.contains(word.lowercased()),
      !isQuoted || Double(word) == nil || mask.hidesNumbers(name)
    else { return copy(to: end) }
    if Self.schemes.contains(word.lowercased()), byte(at: end) == UInt8(ascii: " ") {
      end = self.end(from: end + 1) { !Self.ends.contains($0) }
    }
    if isLine {
      while end > position, bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
      // The line of a quoted text ends with its quote.
      if end > position, Self.quotes.contains(bytes[end - 1]) { end -= 1 }
    }
    hide(to: end, of: name)
  }

  // MARK: Markup

  private mutating func tag() {
    copy(to: position + 1)
    guard let first = byte(at: position), first.isASCIILetter else { return }
    let start = position
    copy(to: end(from: start, while: Self.isElementPart))
    let element = String(decoding: bytes[start..<position], as: UTF8.self)
    attributes()
    guard byte(at: position) == UInt8(ascii: ">"), bytes[position - 1] != UInt8(ascii: "/") else {
      return
    }
    copy(to: position + 1)
    if mask.isSecret(element) { hideTexts(of: element) }
  }

  /// Passes over the attributes of a tag, to its end or to what is no attribute.
  private mutating func attributes() {
    var found: [(name: String, value: Range<Int>)] = []
    var place = position
    while let byte = byte(at: place), byte != UInt8(ascii: ">"), byte != UInt8(ascii: "<") {
      guard Self.isElementPart(byte) else {
        place += 1
        continue
      }
      let nameEnd = end(from: place, while: Self.isElementPart)
      let name = String(decoding: bytes[place..<nameEnd], as: UTF8.self)
      place = skipBlanks(from: nameEnd, overLines: true)
      guard self.byte(at: place) == UInt8(ascii: "=") else { continue }
      place = skipBlanks(from: place + 1, overLines: true)
      guard let quote = self.byte(at: place) else { break }
      let isQuoted = Self.quotes.contains(quote)
      let start = isQuoted ? place + 1 : place
      let valueEnd = end(from: start) {
        isQuoted ? $0 != quote : $0 > 0x20 && $0 != UInt8(ascii: ">")
      }
      found.append((name, start..<valueEnd))
      place = isQuoted ? min(valueEnd + 1, bytes.count) : valueEnd
    }
    let namings = found.filter { Self.namingAttributes.contains($0.name.lowercased()) }
      .map { String(decoding: bytes[$0.value], as: UTF8.self) }
    let secretName = namings.first(where: mask.isSecret)
    for (name, value) in found {
      copy(to: value.lowerBound)
      let isNamed = secretName != nil && Self.valueAttributes.contains(name.lowercased())
      let isNaming = Self.namingAttributes.contains(name.lowercased())
      if isNamed || mask.isSecret(name) && !isNaming {
        hide(to: value.upperBound, of: isNamed ? secretName ?? name : name)
      } else {
        let text = String(decoding: bytes[value], as: UTF8.self)
        result += mask.inside(text, depth: depth + 1).utf8
        position = value.upperBound
      }
    }
    copy(to: place)
  }

  /// Hides the texts between the position and the end of an element, whose tags stay.
  private mutating func hideTexts(of element: String) {
    let ending = Array("</\(element)".utf8)
    let section = Array("<![CDATA[".utf8)
    while position < bytes.count, !bytes[position...].starts(with: ending) {
      if bytes[position...].starts(with: section) {
        copy(to: position + section.count)
        var end = position
        while end < bytes.count, !bytes[end...].starts(with: "]]>".utf8) { end += 1 }
        hide(to: end, of: element)
        copy(to: min(end + 3, bytes.count))
      } else if bytes[position] == UInt8(ascii: "<") {
        copy(to: end(from: position) { $0 != UInt8(ascii: ">") })
        copy(to: min(position + 1, bytes.count))
      } else {
        copy(to: end(from: position) { $0 <= 0x20 })
        let next = end(from: position) { $0 != UInt8(ascii: "<") }
        hide(to: next, of: element)
      }
    }
  }

  // MARK: Bytes

  private func byte(at place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

  private func end(from start: Int, while isPart: (UInt8) -> Bool) -> Int {
    var end = start
    while end < bytes.count, isPart(bytes[end]) { end += 1 }
    return end
  }

  private mutating func copy(to end: Int) {
    result += bytes[position..<max(end, position)]
    position = max(end, position)
  }

  private mutating func hide(to end: Int, of name: String) {
    guard end > position else { return }
    let text = String(decoding: bytes[position..<end], as: UTF8.self)
    result += mask.replacement(Self.unescaped(text), name, .text).utf8
    position = end
  }

  /// Passes over blanks; over lines, also over the framing of an event's next line.
  private func skipBlanks(from start: Int, overLines: Bool) -> Int {
    var place = start
    while let byte = byte(at: place) {
      switch byte {
      case 0x20, 0x09: place += 1
      case 0x0A where overLines, 0x0D where overLines:
        place += 1
        if bytes[place...].starts(with: "data:".utf8) { place += 5 }
      default: return place
      }
    }
    return place
  }

  private func isEscapedQuote(at place: Int) -> Bool {
    byte(at: place) == UInt8(ascii: "\\") && byte(at: place + 1) == UInt8(ascii: "\"")
  }

  /// Returns the string behind a place and its blanks, without its quotes; empty for another value.
  private func string(at place: Int) -> String {
    let blanks = skipBlanks(from: place, overLines: true)
    let start = isEscapedQuote(at: blanks) ? blanks + 1 : blanks
    guard byte(at: start) == UInt8(ascii: "\"") else { return "" }
    let end = end(from: start + 1, while: Self.isNamePart)
    return String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
  }

  private func stringEnd(from start: Int) -> Int {
    var end = start + 1
    while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(end + 1, bytes.count)
  }

  /// Whether the string at a place is followed by a colon.
  private func isName(at place: Int) -> Bool {
    byte(at: skipBlanks(from: stringEnd(from: place), overLines: true)) == UInt8(ascii: ":")
  }

  private func beginsLine(at place: Int) -> Bool {
    var start = place
    while start > 0, Self.lineBlanks.contains(bytes[start - 1]) { start -= 1 }
    if start == 0 || bytes[start - 1] == 0x0A || bytes[start - 1] == 0x0D { return true }
    let export = Array("export ".utf8)
    return bytes[..<place].suffix(export.count).elementsEqual(export)
  }

  private static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    return (try? JSONDecoder().decode(String.self, from: Data("\"\(text)\"".utf8))) ?? text
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || byte >= 0x80 || "_-.".utf8.contains(byte)
  }

  private static func isElementPart(_ byte: UInt8) -> Bool {
    isNamePart(byte) || byte == UInt8(ascii: ":")
  }

  private static let quotes: Set = [UInt8(ascii: "\""), UInt8(ascii: "'")]

  private static let lineBlanks: Set = [0x20, 0x09, UInt8(ascii: "-")]

  /// The bytes that end a value without quotes.
  private static let ends = Set(" \t\r\n&;,\"'<>)]}".utf8)

  private static let constants: Set = ["true", "false", "null", "nil", "none", "yes", "no"]

  /// The schemes of credentials, which follow behind a blank (RFC 9110 §11.4).
  private static let schemes: Set = ["basic", "bearer", "digest", "dpop", "negotiate", "token"]

  private static let namingAttributes: Set = ["name", "id", "key", "property"]

  private static let valueAttributes: Set = ["value", "content"]
}
