import Foundation

/// An encoder of a form's fields as `application/x-www-form-urlencoded`, which every server reads as
/// the same pairs.
///
/// A space is written as `%20`, not `+`: form parsers accept both (WHATWG URL §5.1), and other parsers
/// know only escapes. Order, duplicates and empty names and values are kept. A field without a value
/// gets an empty one, because many parsers drop a bare name.
enum FormEncoding {
  static func data(_ fields: some Sequence<URLQueryItem>) -> Data {
    var text = ""
    var separator = ""
    for field in fields {
      text += separator
      separator = "&"
      text.appendEncodingAllButUnreserved(field.name)
      text += "="
      text.appendEncodingAllButUnreserved(field.value ?? "")
    }
    return Data(text.utf8)
  }

  /// Encodes one name or value.
  static func text(_ text: String) -> String {
    var encoded = ""
    encoded.appendEncodingAllButUnreserved(text)
    return encoded
  }
}
