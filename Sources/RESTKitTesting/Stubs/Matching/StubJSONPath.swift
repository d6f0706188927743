/// A path to values in JSON: the part of JSONPath (RFC 9535) that has names, indices and wildcards.
struct StubJSONPath: Sendable {
  private enum Segment: Sendable {
    case name(String)
    case index(Int)
    case all
  }

  private var segments: [Segment] = []

  /// The path in its shortest spelling.
  var text: String {
    segments.reduce("$") { text, segment in
      switch segment {
      case .name(let name): "\(text).\(name)"
      case .index(let index): "\(text)[\(index)]"
      case .all: "\(text).*"
      }
    }
  }

  /// - Returns: nil if the text is no such path.
  init?(_ text: String) {
    // By scalars, since a mark that joins with a dot does not belong to it.
    var rest = text.unicodeScalars[...]
    guard rest.popFirst() == "$" else { return nil }
    while let first = rest.popFirst() {
      let segment = first == "." ? Self.shorthand(&rest) : first == "[" ? Self.bracket(&rest) : nil
      guard let segment else { return nil }
      segments.append(segment)
    }
  }

  /// Returns the values that the path selects, with their own paths: elements in their order,
  /// members in that of their names.
  func values(in json: StubJSON) -> [(path: String, value: StubJSON)] {
    segments.reduce([("$", json)]) { values, segment in
      values.flatMap { path, value in
        Self.values(of: segment, in: value).map { (path + $0.step, $0.value) }
      }
    }
  }

  private static func values(
    of segment: Segment, in json: StubJSON
  ) -> [(step: String, value: StubJSON)] {
    switch (segment, json) {
    case (.name(let name), .object(let members)):
      return members.member(exactly: name).map { [(".\(name)", $0)] } ?? []
    case (.index(let index), .array(let elements)):
      let place = index < 0 ? elements.count + index : index
      return elements.indices.contains(place) ? [("[\(place)]", elements[place])] : []
    case (.all, .array(let elements)):
      return elements.enumerated().map { ("[\($0)]", $1) }
    case (.all, .object(let members)):
      return members.sorted { $0.key < $1.key }.map { (".\($0)", $1) }
    default: return []
    }
  }

  private typealias Rest = Substring.UnicodeScalarView

  /// `name` or `*` behind a dot.
  private static func shorthand(_ rest: inout Rest) -> Segment? {
    if rest.first == "*" {
      rest.removeFirst()
      return .all
    }
    let name = rest.prefix { $0 != "." && $0 != "[" }
    rest = rest[name.endIndex...]
    // What has a meaning elsewhere in a path must be quoted.
    let isPlain = name.allSatisfy {
      !"]()*?,'\"".unicodeScalars.contains($0) && !$0.properties.isWhitespace
    }
    return name.isEmpty || !isPlain ? nil : .name(String(name))
  }

  /// `'name'`, `"name"`, `7`, `-1` or `*` behind a bracket, with blanks around it.
  private static func bracket(_ rest: inout Rest) -> Segment? {
    skipBlanks(&rest)
    let segment: Segment?
    switch rest.first {
    case "'", "\"":
      segment = quoted(by: rest.removeFirst(), &rest).map(Segment.name)
    case "*":
      rest.removeFirst()
      segment = .all
    default:
      let digits = rest.prefix { $0 == "-" || $0.properties.numericType == .decimal }
      rest = rest[digits.endIndex...]
      // One spelling for each number.
      segment = Int64(String(digits)).flatMap {
        "\($0)" == String(digits) ? Int(exactly: $0).map(Segment.index) : nil
      }
    }
    skipBlanks(&rest)
    return rest.popFirst() == "]" ? segment : nil
  }

  private static func skipBlanks(_ rest: inout Rest) {
    rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
  }

  private static func quoted(by quote: Unicode.Scalar, _ rest: inout Rest) -> String? {
    var name = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar == quote { return String(name) }
      guard let next = scalar == "\\" ? escaped(&rest) : scalar else { return nil }
      name.append(next)
    }
    return nil
  }

  /// What an escape of JSON stands for, behind its backslash (RFC 9535 §2.3.1.1).
  private static func escaped(_ rest: inout Rest) -> Unicode.Scalar? {
    switch rest.popFirst() {
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      guard let unit = codeUnit(&rest) else { return nil }
      guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
      guard rest.popFirst() == "\\", rest.popFirst() == "u", let second = codeUnit(&rest),
        UTF16.isTrailSurrogate(second)
      else { return nil }
      return Unicode.Scalar(
        0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
    case let sign? where "/\\'\"".unicodeScalars.contains(sign): return sign
    default: return nil
    }
  }

  private static func codeUnit(_ rest: inout Rest) -> UInt16? {
    let digits = rest.prefix(4)
    guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit) else { return nil }
    rest = rest[digits.endIndex...]
    return UInt16(String(digits), radix: 16)
  }
}
