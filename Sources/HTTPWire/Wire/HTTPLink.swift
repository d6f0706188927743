/// A link of a message to another resource: one value of the `Link` header field (RFC 8288).
///
/// `HTTPHeaders.links` reads the links of a message. The target is the server's own text;
/// ``url(relativeTo:)`` makes a URL of it.
public struct HTTPLink: Sendable, Hashable {
  /// A parameter of a link, such as `title` or `hreflang`.
  public struct Parameter: Sendable, Hashable {
    /// The name, in lower case.
    public let name: String
    /// The value without quotes and escapes, or an empty text if the parameter has no value.
    public let value: String
  }

  /// The URL or the relative reference between the angle brackets.
  public let target: String

  /// The relation types of `rel`, in lower case and in order, or an empty array if there are none.
  ///
  /// If there are several `rel` parameters, the first one counts (RFC 8288 §3.3). `rel*` and `rev`
  /// do not count as relations.
  public let relations: [String]

  /// All parameters in order, with duplicates.
  public let parameters: [Parameter]

  init(target: String, parameters: [Parameter]) {
    self.target = target
    self.parameters = parameters
    let rel = parameters.first { $0.name == "rel" }?.value ?? ""
    relations = rel.utf8.split(whereSeparator: \.isBlank).map { Substring($0).lowercased() }
  }

  /// The value of the first parameter of a name, in any case, or nil if there is none.
  public subscript(name: String) -> String? {
    let name = name.lowercased()
    return parameters.first { $0.name == name }?.value
  }

  /// The resource at which the link starts, as the server wrote it.
  ///
  /// It is nil if that is the resource of the response itself (RFC 8288 §3.2).
  public var anchor: String? { self["anchor"] }

  /// Returns whether the link has a relation type, in any case.
  public func isRelated(by relation: String) -> Bool {
    relations.contains(relation.lowercased())
  }
}

extension HTTPLink: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A text such as `<https://api.example.com/orders?…>; rel="next"`, without the query and user
  /// info.
  ///
  /// Only a text before `@` in the authority of a URL is user info. An address such as
  /// `mailto:a@b.c` is shown.
  public var description: String {
    let end =
      target.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
      ?? target.endIndex
    let rest = end == target.endIndex ? "" : "…"
    let place = Self.withoutUserInfo(target[..<end])
    return "<\(place)\(rest)>; rel=\"\(relations.joined(separator: " "))\"".printable
  }

  /// - Parameter place: A target without its query.
  private static func withoutUserInfo(_ place: Substring) -> String {
    let bytes = place.utf8
    let slash = UInt8(ascii: "/")
    guard let start = bytes.firstIndex(of: slash), bytes[start...].starts(with: "//".utf8) else {
      return String(place)
    }
    let rest = bytes[start...].dropFirst(2)
    let authority = rest.prefix { $0 != slash }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return String(place) }
    return "\(place[..<rest.startIndex])…\(place[at...])"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// A reader for a `Link` line, link by link, as in RFC 8288 appendix B.2.
struct LinkReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ line: String) {
    bytes = Array(line.utf8)
  }

  /// - Returns: The next link, or nil at the end of the line and before any other text.
  mutating func next() -> HTTPLink? {
    while let byte = current, byte.isBlank || byte == UInt8(ascii: ",") { place += 1 }
    guard take("<"), let end = bytes[place...].firstIndex(of: UInt8(ascii: ">")) else {
      place = bytes.count
      return nil
    }
    let target = text(place..<end)
    place = end + 1
    let parameters = parameters()
    // After its parameters, a link ends at a comma. The rest of a malformed line is ignored.
    if let byte = current, byte != UInt8(ascii: ",") { place = bytes.count }
    return HTTPLink(target: target, parameters: parameters)
  }

  private mutating func parameters() -> [HTTPLink.Parameter] {
    var parameters: [HTTPLink.Parameter] = []
    skipBlanks()
    while take(";") {
      skipBlanks()
      let name = token().lowercased()
      skipBlanks()
      var value = ""
      if take("=") {
        skipBlanks()
        value = current == UInt8(ascii: "\"") ? quoted() : plain()
        skipBlanks()
      }
      if !name.isEmpty { parameters.append(HTTPLink.Parameter(name: name, value: value)) }
    }
    return parameters
  }

  private var current: UInt8? { place < bytes.count ? bytes[place] : nil }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func skipBlanks() {
    while let byte = current, byte.isBlank { place += 1 }
  }

  private mutating func token() -> String {
    let start = place
    while let byte = current, RequestValidation.isTokenByte(byte) { place += 1 }
    return text(start..<place)
  }

  /// Reads an unquoted value.
  ///
  /// It is more than a token, since servers write URLs of relation types without quotes.
  private mutating func plain() -> String {
    let start = place
    while let byte = current, !byte.isBlank, byte != UInt8(ascii: ";"), byte != UInt8(ascii: ",") {
      place += 1
    }
    return text(start..<place)
  }

  /// Reads a quoted text, up to the end of the line if the closing quote is missing.
  private mutating func quoted() -> String {
    place += 1
    var text: [UInt8] = []
    while let byte = current {
      place += 1
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\"), let escaped = current {
        place += 1
        text.append(escaped)
      } else {
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
