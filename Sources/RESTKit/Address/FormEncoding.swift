import Foundation

/// Writes a form's fields as `application/x-www-form-urlencoded`, so that every server reads the same
/// pairs from it.
///
/// A space is `%20` and not `+`: what reads forms takes both (WHATWG URL §5.1), and what reads only
/// escapes takes the one. Order, duplicates and empty names and values are kept. A field without a
/// value has an empty one: many parsers drop a bare name.
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

  /// One name or value.
  static func text(_ text: String) -> String {
    var encoded = ""
    encoded.appendEncodingAllButUnreserved(text)
    return encoded
  }
}
