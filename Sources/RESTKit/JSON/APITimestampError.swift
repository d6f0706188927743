/// The reason why a text is not a timestamp.
///
/// The error has the shape of the text, not the text.
struct APITimestampError: Error, Equatable, Sendable {
  /// The text with `0` for every digit, `A` for every ASCII letter, and `?` for all other non-ASCII or
  /// control characters.
  let shape: String
  let reason: String

  init(shapeOf text: String, reason: String) {
    let limit = 40
    let scalars = text.unicodeScalars
    let shape = scalars.prefix(limit).map { scalar -> Character in
      switch scalar {
      case "0"..."9": "0"
      case "a"..."z", "A"..."Z": "A"
      case " "..."~": Character(scalar)
      default: "?"
      }
    }
    self.shape = String(shape) + (scalars.dropFirst(limit).isEmpty ? "" : "…")
    self.reason = reason
  }
}

extension APITimestampError: CustomStringConvertible {
  var description: String {
    "no timestamp of the form yyyy-MM-ddTHH:mm:ss[.fffffff][Z] in text of shape \"\(shape)\": "
      + reason
  }
}
