import Foundation

extension DecodingFailure {
  /// Returns the remedy for a missing member.
  ///
  /// - Parameters:
  ///   - key: The missing member.
  ///   - path: The path of the object without the member.
  ///   - body: The body.
  static func remedy(
    forMissing key: any CodingKey, at path: [any CodingKey], in body: Data
  ) -> String {
    if let name = snakeCase(key.stringValue), body.firstRange(of: Data("\"\(name)\"".utf8)) != nil {
      return
        "The body has \"\(name)\". Set the decoder's keyDecodingStrategy to .convertFromSnakeCase, or "
        + "name the member in CodingKeys."
    }
    if path.isEmpty, isEnveloped(body) {
      return "The body has an object under \"result\". Add unwrapResultJSON() before decode(type:)."
    }
    return "Make the property optional if the server may leave it out."
  }

  /// Returns the remedy for a value of another type than `type`.
  static func remedy(forMismatchOf type: Any.Type) -> String {
    let remedy = "Change the property's type, or correct the server's response."
    // A decoder without a strategy reads a date as a number.
    guard type == Double.self else { return remedy }
    return remedy + " For a Date, set the decoder's dateDecodingStrategy."
  }

  /// Returns the format of dates that a value does not have; nil if the error is not about a date.
  ///
  /// These texts of Foundation contain no value.
  static func dateFormat(missedBy context: DecodingError.Context) -> String? {
    switch context.debugDescription {
    case "Expected date string to be ISO8601-formatted.": "ISO 8601"
    case "Date string does not match format expected by formatter.": "the formatter's format"
    default: nil
    }
  }

  private static func isEnveloped(_ body: Data) -> Bool {
    let payload = try? JSONEnvelope.unwrap(body, key: "result", includingArrays: true)
    return payload.map { $0.count != body.count } ?? false
  }

  /// Returns a name in snake case, such as `due_at` for `dueAt`; nil for a name that has none.
  private static func snakeCase(_ name: String) -> String? {
    guard name.utf8.count <= 64, name.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit })
    else { return nil }
    var words = ""
    var previous: Character = "A"
    for character in name {
      if character.isUppercase, !previous.isUppercase { words += "_" }
      words += character.lowercased()
      previous = character
    }
    return words == name ? nil : words
  }
}
