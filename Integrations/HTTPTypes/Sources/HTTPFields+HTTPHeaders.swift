import HTTPTypes
import RESTKit

extension HTTPHeaders {
  /// Creates a list of the same fields in the same order, with their duplicates and spellings.
  ///
  /// A value that is not UTF-8 is read as ISO 8859-1 (RFC 9110 §5.5), so no byte is lost.
  public init(_ fields: HTTPFields) {
    self.init(fields.map { (name: $0.name.rawName, value: $0.text) })
  }
}

extension HTTPFields {
  /// Creates a list of the same fields in the same order, with their duplicates and spellings.
  ///
  /// Blanks around a value are removed: they are not part of the value (RFC 9110 §5.5).
  ///
  /// - Throws: ``HTTPTypesError`` for a name that is not a token, and for a value with a line break
  ///   or another control character.
  public init(_ headers: HTTPHeaders) throws(HTTPTypesError) {
    self.init()
    reserveCapacity(headers.count)
    for (name, value) in headers { append(try HTTPField(checked: name, value)) }
  }
}

extension HTTPField {
  /// The value as text: UTF-8 if it is valid UTF-8, otherwise ISO 8859-1.
  var text: String {
    withUnsafeBytesOfValue { bytes in
      String(validating: bytes, as: UTF8.self)
        ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
  }

  /// - Throws: ``HTTPTypesError`` if `HTTPField` would send another value than the given one.
  init(checked name: String, _ value: String) throws(HTTPTypesError) {
    guard let known = HTTPField.Name(name) else {
      throw HTTPTypesError(
        .field(name: Self.printable(name)), "has a name that is not a token",
        remedy: "Use letters, digits and hyphens (RFC 9110 §5.6.2).")
    }
    let blanks: Set<Character> = [" ", "\t"]
    let start = value.firstIndex { !blanks.contains($0) } ?? value.endIndex
    let end = value[start...].lastIndex { !blanks.contains($0) }.map { value.index(after: $0) }
    let text = String(value[start..<(end ?? start)])
    guard HTTPField.isValidValue(text) else {
      throw HTTPTypesError(
        .field(name: name), "has a line break or another control character in its value",
        remedy: "Trim it, for example where it was read from a file.")
    }
    self.init(name: known, value: text)
  }

  /// Returns only the text before the first invalid character, since the rest could be a secret.
  private static func printable(_ name: String) -> String {
    name.prefix(40).prefix { HTTPField.Name(String($0)) != nil } + "…"
  }
}
