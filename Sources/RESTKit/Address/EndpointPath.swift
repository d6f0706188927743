/// The path of an endpoint below a base URL, checked and percent-encoded.
///
/// What it takes and what it makes of it:
/// - one `/` at the beginning is the same as none, one at the end is kept;
/// - escapes that are there stay as they are, in the case they have; nothing is encoded twice;
/// - what RFC 3986, section 3.3, allows in a path stays as it is, so `@`, `:` (except after what
///   looks like a scheme), `;`, `=` and `+` do;
/// - all else is encoded as UTF-8, without Unicode normalization: the composed and the decomposed
///   form of a letter remain two paths, and full-width `／` is a letter like others.
///
/// What it refuses, since it could leave the base or be read in two ways:
/// - `.` and `..` as segments, also written `%2e`, and also before a `;`, which some servers drop;
/// - empty segments, so `//` anywhere;
/// - a scheme at the beginning, `?`, `#`, `\`;
/// - whitespace, byte order marks and control characters of all of Unicode, written raw;
/// - `%2F`, `%5C`, `%7F` and `%00` to `%1F`: servers disagree on what those mean in a path. A value
///   that has them goes through ``append(segment:)``;
/// - a `%` without two hexadecimal digits;
/// - more than ``maximumLength`` bytes.
struct EndpointPath: Hashable, Sendable {
  /// The longest path, in bytes once encoded: servers take some 8,000, so more is a mistake.
  static let maximumLength = 65_535

  /// The path without a slash at its beginning, ready to stand in a URL.
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

  /// - Throws: ``URLJoinError`` about the endpoint, or about a path parameter, whose value it does not
  ///   hold.
  init(_ parts: [ResourcePath.StringInterpolation.Part]) throws(URLJoinError) {
    // With a letter for each value, this is a path like others.
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

  /// Adds a value as exactly one segment, whatever characters it has.
  ///
  /// All but unreserved characters are encoded, so that `a/b` becomes `a%2Fb` and `%2e` becomes
  /// `%252e`.
  ///
  /// - Parameter value: The value, not encoded. It must not be empty, `.` or `..`: no encoding
  ///   makes a segment of these.
  /// - Throws: ``URLJoinError`` about the path parameter. Its text does not hold the value.
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

  /// Adds the segments of another path.
  ///
  /// - Throws: ``URLJoinError`` about the endpoint, if both together are too long.
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
