import Foundation

/// A decoding error in words that name the place in the body, and no value.
struct DecodingFailure {
  let reason: String
  let remedy: String
  /// Whether the body is not even JSON.
  let isMalformed: Bool

  private init(malformed reason: String, remedy: String) {
    self.reason = reason
    self.remedy = remedy
    isMalformed = true
  }

  /// Of a response without a body, such as a 204.
  static func noBody(status: Int) -> DecodingFailure {
    DecodingFailure(
      malformed: "the \(status) has no body",
      remedy:
        "Where that is an answer, use validateStatus(), or an endpoint that is answered by Void.")
  }

  /// - Parameter isJSON: Whether the body is JSON: Foundation gives the same error where it is not and
  ///   where a number in it does not fit.
  init(_ error: any Error, isJSON: Bool) {
    var isMalformed = false
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      reason = "\(Self.place(context.codingPath + [key])) is missing"
      remedy = "Make the property optional if the server may leave it out."
    case DecodingError.valueNotFound(let type, let context):
      reason = "\(Self.place(context.codingPath)) is null and must be of type \(type)"
      remedy = "Make the property optional if the server may send null."
    case DecodingError.typeMismatch(let type, let context):
      reason = "\(Self.place(context.codingPath)) is not of type \(type)"
      remedy = "Compare the property's type with what the server sends."
    case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty && isJSON:
      reason = "a value in it is not valid for its type, such as a number that does not fit"
      remedy = "Compare the properties' types with what the server sends."
    case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
      isMalformed = true
      reason = "the body is not JSON"
      remedy = "Check that the URL is the API's and not a web page's or a proxy's."
    case DecodingError.dataCorrupted(let context):
      let detail = (context.underlyingError as? APITimestampError)?.description
      reason = "\(Self.place(context.codingPath)) is \(detail ?? "not valid for its type")"
      remedy = "Compare the property's type and the decoder's strategies with what comes."
    default:
      reason = "its decoder failed"
      remedy = "The error's `underlyingError` tells why."
    }
    self.isMalformed = isMalformed
  }

  static func place(_ path: [any CodingKey]) -> String {
    guard !path.isEmpty else { return "the top-level value" }
    var text = ""
    for key in path {
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + excerpt(of: key.stringValue)
      }
      if text.utf8.count > 400 { return "\"\(text)…\"" }
    }
    return "\"\(text)\""
  }

  /// A member's name may be the server's text: it is kept short, and on its line.
  private static func excerpt(of name: String) -> String {
    let scalars = name.unicodeScalars
    let shown = scalars.prefix(40).map { scalar in
      scalar.properties.generalCategory == .control || scalar.properties.isWhitespace
        || scalar.properties.isDefaultIgnorableCodePoint
        ? scalar.escaped(asASCII: true) : String(scalar)
    }
    return shown.joined() + (scalars.dropFirst(40).isEmpty ? "" : "…")
  }
}
