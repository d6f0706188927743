import Foundation

/// A description of a decoding error that names the place in the body, and no value.
package struct DecodingFailure {
  package let reason: String
  package let remedy: String
  /// Whether the body is not JSON.
  package let isMalformed: Bool
  /// The place where the body is not JSON; nil if the body is JSON or has no bytes.
  package let syntaxError: JSONSyntaxError?

  private init(malformed reason: String, remedy: String, syntaxError: JSONSyntaxError? = nil) {
    self.reason = reason
    self.remedy = remedy
    self.syntaxError = syntaxError
    isMalformed = true
  }

  /// Returns the failure of a response without a body, such as a 204.
  static func noBody(status: Int) -> DecodingFailure {
    DecodingFailure(
      malformed: "the \(status) has no body",
      remedy:
        "If no body is expected, use validateStatus(), or an endpoint whose Response is Void.")
  }

  /// - Parameters:
  ///   - error: The decoder's error.
  ///   - type: The type that was to be decoded.
  ///   - body: The body, or the part of it that was to be decoded.
  package init(_ error: any Error, of type: Any.Type, in body: Data) {
    if let syntaxError = Self.syntaxError(behind: error, in: body) {
      self.init(
        malformed: "the body is \(syntaxError)", remedy: syntaxError.remedy,
        syntaxError: syntaxError)
    } else {
      self.init(error, ofValid: body, as: type)
    }
  }

  /// - Parameter error: The decoder's error about a body that is JSON.
  init(ofValid error: any Error) {
    self.init(error, ofValid: Data(), as: Any.self)
  }

  /// Returns the place where the body is not JSON, if the decoder failed for that reason.
  ///
  /// Foundation throws the same error for a number that does not fit its type.
  private static func syntaxError(behind error: any Error, in body: Data) -> JSONSyntaxError? {
    guard case DecodingError.dataCorrupted(let context) = error, context.codingPath.isEmpty else {
      return nil
    }
    do throws(JSONSyntaxError) {
      _ = try JSONEnvelope.unwrap(body, key: "")
      return nil
    } catch {
      return error
    }
  }

  /// - Parameters:
  ///   - error: The decoder's error.
  ///   - body: The body, which is JSON.
  ///   - type: The type that was to be decoded.
  private init(_ error: any Error, ofValid body: Data, as type: Any.Type) {
    isMalformed = false
    syntaxError = nil
    let remedy: String
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      reason = "\(Self.place(context.codingPath, missing: key)) is missing"
      remedy = Self.remedy(forMissing: key, at: context.codingPath, in: body)
    case DecodingError.valueNotFound(let type, let context):
      reason = "\(Self.place(context.codingPath)) is null and must be \(Self.expectation(of: type))"
      remedy = "Make the property optional if the server may send null."
    case DecodingError.typeMismatch(let type, let context):
      let expected = Self.expectation(of: type)
      reason =
        Self.found(in: context).map {
          "\(Self.place(context.codingPath)) is \($0) and must be \(expected)"
        } ?? "\(Self.place(context.codingPath)) is not \(expected)"
      remedy =
        Self.remedy(forListAt: context, of: type, in: body) ?? Self.remedy(forMismatchOf: type)
    case DecodingError.dataCorrupted(let context):
      if let format = Self.dateFormat(missedBy: context) {
        reason = "a date in \(Self.place(context.codingPath)) is not in \(format)"
        remedy = "Compare the decoder's dateDecodingStrategy with the response."
        break
      }
      guard !context.codingPath.isEmpty else {
        reason = "a value in it is not valid for its type, such as a number that does not fit"
        remedy = "Change the property's type, or correct the server's response."
        break
      }
      let detail = (context.underlyingError as? APITimestampError)?.description
      reason = "\(Self.place(context.codingPath)) is \(detail ?? "not valid for its type")"
      remedy = "Compare the property's type and the decoder's strategies with the response."
    default:
      reason = "its decoder failed"
      remedy = "The error's `underlyingError` tells why."
    }
    self.remedy = (type as? any LibraryResponse.Type)?.remedy ?? remedy
  }

  /// Returns the expected type, to be read after "must be".
  private static func expectation(of type: Any.Type) -> String {
    // The decoder requests these two types for any array and any object.
    if type == [Any].self { return "an array" }
    if type == [String: Any].self { return "an object" }
    return "of type \(TypeName(type))"
  }

  /// Returns the kind of value that the body has there, if Foundation's text for it contains no
  /// value.
  private static func found(in context: DecodingError.Context) -> String? {
    let kinds = [
      "a string": "a string", "number": "a number", "bool": "a Boolean", "an array": "an array",
      "a dictionary": "an object", "null": "null",
    ]
    let text = context.debugDescription
    guard let start = text.range(of: " but found ", options: .backwards)?.upperBound,
      let end = text.range(of: " instead.", options: [.backwards, .anchored])?.lowerBound,
      start < end
    else { return nil }
    return kinds[String(text[start..<end])]
  }

  /// - Parameters:
  ///   - path: The path of a value.
  ///   - missing: A key that its type asked for in vain.
  static func place(_ path: [any CodingKey], missing: (any CodingKey)? = nil) -> String {
    guard !path.isEmpty || missing != nil else { return "the top-level value" }
    var text = ""
    for (index, key) in (path + (missing.map { [$0] } ?? [])).enumerated() {
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text +=
          (text.isEmpty ? "" : ".")
          + (index < path.count && isAnyName(key) ? "*" : excerpt(of: key.stringValue))
      }
      if text.utf8.count > 400 { return "\"\(text)…\"" }
    }
    return "\"\(text)\""
  }

  /// Whether a key's type takes any name, as that of a dictionary does.
  ///
  /// Such a name comes from the body, and may be a token or the name of a person.
  private static func isAnyName<Key: CodingKey>(_ key: Key) -> Bool {
    Key(stringValue: "\u{0}") != nil
  }

  /// Returns a short form of a member's name on one line, because the name may be the server's
  /// text.
  private static func excerpt(of name: String) -> String {
    let scalars = name.unicodeScalars
    let shown = scalars.prefix(40).map { scalar in
      !scalar.isPrintable || scalar.properties.isWhitespace
        || scalar.properties.isDefaultIgnorableCodePoint
        ? scalar.escaped(asASCII: true) : String(scalar)
    }
    return shown.joined() + (scalars.dropFirst(40).isEmpty ? "" : "…")
  }
}

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

  /// Returns the remedy for a list whose body is an object; nil for another mismatch.
  ///
  /// The member's own name is not shown, because the names in an object may be data.
  static func remedy(
    forListAt context: DecodingError.Context, of type: Any.Type, in body: Data
  ) -> String? {
    guard context.codingPath.isEmpty, type == [Any].self, found(in: context) == "an object" else {
      return nil
    }
    let key = isEnveloped(body) ? "" : #"key: "NAME", "#
    let place = isEnveloped(body) ? #"under "result""# : "in a member, here NAME"
    return "If the list is \(place), add unwrapResultJSON(\(key)includingArrays: true) before "
      + "decode(type:)."
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

/// A response type that this package declares.
///
/// A user cannot change its properties, so an error about its decoding needs another remedy than
/// "make the property optional".
package protocol LibraryResponse {
  /// The remedy if a response does not decode as this type.
  static var remedy: String { get }
}
