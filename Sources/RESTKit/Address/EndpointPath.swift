/// The path of an endpoint below a base URL, checked and percent-encoded.
///
/// The accepted text, and its encoding:
/// - one `/` at the beginning makes no difference, one at the end is kept;
/// - existing escapes stay unchanged, in their case; nothing is encoded twice;
/// - characters that RFC 3986, section 3.3, allows in a path stay unchanged, such as `@`, `:` (except
///   after a prefix like a scheme), `;`, `=` and `+`;
/// - all other characters are encoded as UTF-8, without Unicode normalization: the composed and the
///   decomposed form of a letter remain two paths, and full-width `／` is an ordinary letter.
///
/// Text that could leave the base or is ambiguous is refused:
/// - `.` and `..` as segments, also written `%2e`, and also before a `;`, which some servers drop;
/// - empty segments, so `//` anywhere;
/// - a scheme at the beginning, `?`, `#`, `\`;
/// - raw whitespace, byte order marks and control characters of all of Unicode;
/// - `%2F`, `%5C`, `%7F` and `%00` to `%1F`: servers disagree on their meaning in a path. Use
///   ``append(segment:)`` for a value with such characters;
/// - a `%` without two hexadecimal digits;
/// - more than ``maximumLength`` bytes.
struct EndpointPath: Hashable, Sendable {
  /// The maximum length of an encoded path, in bytes.
  ///
  /// Servers accept some 8,000, so a longer path is a mistake.
  static let maximumLength = 65_535

  /// The path without a slash at its beginning, in the form of a URL.
  private(set) var encoded: String

  /// - Throws: ``URLJoinError`` about the endpoint.
  init(_ text: String) throws(URLJoinError) {
    let relative = text.droppingFirstSlash
    guard !PathEncoding.beginsWithScheme(relative) else {
      throw URLJoinError(
        .endpoint, text: text, "has a scheme",
        remedy: "give only the path below the base URL, and write the \":\" of a first segment"
          + " as %3A")
    }
    encoded = try PathEncoding.encode(relative, of: text, part: .endpoint)
  }

  /// - Throws: ``URLJoinError`` about the endpoint, or about a path parameter. The error does not have
  ///   the parameter's value.
  init(_ parts: [ResourcePath.StringInterpolation.Part]) throws(URLJoinError) {
    // With a letter in place of each value, this is an ordinary path.
    _ = try EndpointPath(
      parts.reduce(into: "") { text, part in
        if case .path(let literal) = part { text += literal } else { text += "v" }
      })
    var text = ""
    for part in parts {
      switch part {
      case .path(let literal):
        text += PathEncoding.escaped(text.isEmpty ? literal.droppingFirstSlash : Substring(literal))
      case .value(let value):
        guard !value.isEmpty else { throw Self.emptyParameter }
        guard value.utf8.count <= Self.maximumLength else { throw Self.tooLong(.pathParameter) }
        text.appendEncodingAllButUnreserved(value)
      }
    }
    guard text.utf8.count <= Self.maximumLength else { throw Self.tooLong(.endpoint) }
    for segment in text.utf8.split(separator: UInt8(ascii: "/")) {
      if let dots = PathEncoding.dots(in: Substring(segment).utf8) {
        throw Self.dotParameter(String(repeating: ".", count: dots))
      }
    }
    encoded = text
  }

  /// Appends a value as exactly one segment.
  ///
  /// All but unreserved characters are encoded, so that `a/b` becomes `a%2Fb` and `%2e` becomes
  /// `%252e`.
  ///
  /// - Parameter value: The value, not encoded. It must not be empty, `.` or `..`, because no encoding
  ///   makes a segment of these.
  /// - Throws: ``URLJoinError`` about the path parameter. The error does not have the value.
  mutating func append(segment value: String) throws(URLJoinError) {
    guard !value.isEmpty else { throw Self.emptyParameter }
    guard value != ".", value != ".." else { throw Self.dotParameter(value) }
    guard value.utf8.count <= Self.maximumLength else { throw Self.tooLong(.pathParameter) }
    var longer = encoded
    if !longer.isEmpty, longer.utf8.last != UInt8(ascii: "/") { longer += "/" }
    longer.appendEncodingAllButUnreserved(value)
    guard longer.utf8.count <= Self.maximumLength else { throw Self.tooLong(.pathParameter) }
    encoded = longer
  }

  /// Appends the segments of another path.
  ///
  /// - Throws: ``URLJoinError`` about the endpoint, if the combined path is too long.
  mutating func append(_ path: EndpointPath) throws(URLJoinError) {
    guard !path.encoded.isEmpty else { return }
    let needsSlash = !encoded.isEmpty && encoded.utf8.last != UInt8(ascii: "/")
    let longer = encoded + (needsSlash ? "/" : "") + path.encoded
    guard longer.utf8.count <= Self.maximumLength else { throw Self.tooLong(.endpoint) }
    encoded = longer
  }

  private static let emptyParameter = URLJoinError(
    .pathParameter, "is empty", remedy: "pass a value, or name another endpoint")

  private static func dotParameter(_ segment: String) -> URLJoinError {
    URLJoinError(
      .pathParameter, "is \"\(segment)\", which would change the path",
      remedy: "check the value before it is used")
  }

  static func tooLong(_ part: URLJoinError.Part) -> URLJoinError {
    URLJoinError(
      part, "makes a path of more than \(maximumLength) bytes",
      remedy: "send long data as a query or a body")
  }
}
