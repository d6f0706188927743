import Foundation

/// Any JSON value (RFC 8259 §3), for what has no type in the app: a body of three members, a member
/// of which only a part is known, a payload that is passed on.
///
/// ```swift
/// api.post(endpoint: "login", body: .json(["type": "m.login.password", "attempt": 1]))
/// api.get(endpoint: "status").decode(type: JSONValue.self).map { $0["build"]?["number"]?.integer }
/// ```
///
/// Its text forms show the names of members, and hide strings and numbers, because any of them may
/// be a secret. ``text(redaction:)`` shows more.
public enum JSONValue: Sendable, Hashable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number without a fraction, of at most 64 bits with its sign.
  case integer(Int64)
  /// Another number.
  ///
  /// As in most languages, it has the digits of a `Double`, about 16. A type with a `Decimal`
  /// keeps more. ``init(_:)`` makes integers of whole numbers, so that equal numbers are equal
  /// values.
  case number(Double)
  /// A text.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Members by their names, without an order.
  case object([String: JSONValue])

  /// Creates a number: an integer if it has no fraction and fits.
  public init(_ number: Double) {
    self = Int64(exactly: number).map(JSONValue.integer) ?? .number(number)
  }
}

// MARK: Parts

extension JSONValue {
  /// The member of an object.
  ///
  /// It is nil if there is no such member, or if the value is no object. Setting nil removes the
  /// member. Setting a member of a value that is no object does nothing.
  public subscript(name: String) -> JSONValue? {
    get { object?[name] }
    set {
      guard case .object(var members) = self else { return }
      // Else, the change would copy all members.
      self = .null
      members[name] = newValue
      self = .object(members)
    }
  }

  /// The element of an array; nil if there is no such element, or if the value is no array.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The text; nil for another kind of value.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// `true` or `false`; nil for another kind of value.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The number without a fraction; nil for another number, and for another kind of value.
  public var integer: Int? {
    if case .integer(let value) = self { Int(exactly: value) } else { nil }
  }

  /// The number; nil for another kind of value.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The elements; nil for another kind of value.
  public var array: [JSONValue]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// The members; nil for another kind of value.
  public var object: [String: JSONValue]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// Whether the value is `null`.
  public var isNull: Bool { self == .null }

  /// Returns the value in a type of the app.
  ///
  /// ```swift
  /// let event = try payload["content"]?.decode(Message.self)
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - decoder: The decoder of the value.
  /// - Throws: The decoder's `DecodingError`, or an `EncodingError` for a ``number(_:)`` that JSON
  ///   cannot express: not a number, or infinite.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    try decoder.decode(type, from: try JSONEncoder().encode(self))
  }
}

// MARK: Coding

extension JSONValue: Codable {
  /// Reads any value.
  ///
  /// An integer of more than 64 bits with its sign becomes the nearest ``number(_:)``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // Frequent types come first, since a failed attempt costs more than a successful one.
    if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([String: JSONValue].self) {
      self = .object(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self.init(value)
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if container.decodeNil() {
      self = .null
    } else {
      self = .array(try container.decode([JSONValue].self))
    }
  }

  /// Writes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

// MARK: Literals

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates a text.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Creates a number without a fraction.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// Creates a number.
  public init(floatLiteral value: Double) { self.init(value) }

  /// Creates `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates an array of the elements.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// Creates an object of the members.
  ///
  /// If members have the same name, the last one counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}

// MARK: Texts

extension JSONValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Returns the value as JSON, with members sorted by name.
  ///
  /// A number that JSON cannot express is a text here. Characters that would forge a line or
  /// reorder the text around them are written as escapes.
  ///
  /// - Parameter redaction: What the text hides.
  public func text(redaction: Redaction = .strict) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    let json = (try? encoder.encode(self)) ?? Data()
    let shown = redaction.body(json, contentType: "application/json")
    return shown.map { String(decoding: $0, as: UTF8.self).printableJSON } ?? Redaction.mark
  }

  /// The value as JSON, with its strings and numbers hidden.
  public var description: String { text() }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
