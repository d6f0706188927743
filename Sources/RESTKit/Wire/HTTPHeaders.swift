/// The header fields of a request or a response, in the order they were written, duplicates kept.
///
/// Names are compared without regard to ASCII case and kept as they were spelled (RFC 9110 §5.1).
/// A field that stands more than once keeps each of its lines: `values(for:)` gives them all.
///
///     var headers: HTTPHeaders = ["Accept": "text/html", "accept": "application/json"]
///     headers["ACCEPT"]              // "text/html, application/json"
///     headers.values(for: "Accept")  // ["text/html", "application/json"]
///
/// `description` hides the values of the fields that carry secrets, so that a log line may hold it;
/// `debugDescription`, `dump` and string interpolation show no more.
public struct HTTPHeaders: Sendable {
  /// One header line.
  public typealias Element = (name: String, value: String)

  private var fields: [Element] = []

  /// Makes an empty list.
  public init() {}

  /// Makes a list of the given lines, in their order.
  public init(_ fields: some Sequence<Element>) {
    self.fields = Array(fields)
  }

  /// All values of the field, in order, one for each line; empty if there is none.
  public func values(for name: String) -> [String] {
    var values: [String] = []
    for field in fields where Self.isSameName(field.name, name) {
      values.append(field.value)
    }
    return values
  }

  /// The value of the field, or nil if there is none.
  ///
  /// Several lines are joined with ", " as RFC 9110 §5.3 allows. `Set-Cookie` is the exception made
  /// there, since a cookie's date holds a comma: for it the first line is given, and
  /// `values(for:)` gives the rest.
  ///
  /// Setting a value replaces every line of that name by one; setting nil removes them.
  public subscript(name: String) -> String? {
    get {
      var joined: String?
      for field in fields where Self.isSameName(field.name, name) {
        guard let first = joined else {
          joined = field.value
          if Self.isSameName(name, "Set-Cookie") { break }
          continue
        }
        joined = first + ", " + field.value
      }
      return joined
    }
    set {
      if let newValue {
        set(name: name, value: newValue)
      } else {
        remove(name)
      }
    }
  }

  /// Whether there is at least one line of that name.
  public func contains(_ name: String) -> Bool {
    fields.contains { Self.isSameName($0.name, name) }
  }

  /// Adds a line at the end and keeps those that are there.
  public mutating func append(name: String, value: String) {
    // Most messages have some lines: room for them at once, and not by doubling from one.
    if fields.isEmpty { fields.reserveCapacity(8) }
    fields.append((name, value))
  }

  /// Puts one line in the place of the first of that name and removes the others; without one, adds
  /// the line at the end.
  public mutating func set(name: String, value: String) {
    guard let place = fields.firstIndex(where: { Self.isSameName($0.name, name) }) else {
      fields.append((name, value))
      return
    }
    fields[place] = (name, value)
    let rest = fields[(place + 1)...].filter { !Self.isSameName($0.name, name) }
    fields.replaceSubrange((place + 1)..., with: rest)
  }

  /// Removes every line of that name.
  public mutating func remove(_ name: String) {
    fields.removeAll { Self.isSameName($0.name, name) }
  }

  /// Continues the last line, for the folded lines of RFC 9112 §5.2.
  mutating func extendLast(with text: String) {
    guard let last = fields.indices.last else { return }
    let separator = fields[last].value.isEmpty || text.isEmpty ? "" : " "
    fields[last].value += separator + text
  }

  mutating func removeAll(keepingCapacity: Bool) {
    fields.removeAll(keepingCapacity: keepingCapacity)
  }
}

extension HTTPHeaders: RandomAccessCollection {
  /// The place of the first line.
  public var startIndex: Int { fields.startIndex }

  /// The place behind the last line.
  public var endIndex: Int { fields.endIndex }

  /// The line at a place; a place outside the list is a programming error, as in `Array`.
  public subscript(position: Int) -> Element { fields[position] }
}

extension HTTPHeaders: Equatable {
  /// Two lists are equal if they have the same lines in the same order, names in any case.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.count == right.count
      && zip(left.fields, right.fields).allSatisfy { one, other in
        one.value == other.value && isSameName(one.name, other.name)
      }
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Makes a list of the literal's pairs, in their order, duplicates kept.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { (name: $0.0, value: $0.1) }
  }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// One `Name: value` a line.
  ///
  /// The values of `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie` and `X-Api-Key`,
  /// and of each field with a word such as `token`, `secret` or `session` in its name, are shown as
  /// `<redacted>`, control characters as `\u{…}`.
  public var description: String {
    fields.map { field in
      let value = Self.isSecret(field.name) ? "<redacted>" : Self.escaped(field.value)
      return "\(Self.escaped(field.name)): \(value)"
    }.joined(separator: "\n")
  }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// Shows the lines as `description` does, so that `dump` tells no secret either.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: fields.map { field in
        let value = Self.isSecret(field.name) ? "<redacted>" : Self.escaped(field.value)
        return (label: Self.escaped(field.name), value: value as Any)
      }, displayStyle: .dictionary)
  }

  /// Whether the values of this field must not be shown.
  static func isSecret(_ name: String) -> Bool {
    Redaction.byName.hides(header: name)
  }

  /// Fields whose values are secrets, in any message.
  static let secretNames = [
    "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key",
  ]

  /// Control characters could forge a line of a log.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      result +=
        scalar.value < 0x20 || scalar.value == 0x7F ? scalar.escaped(asASCII: true) : "\(scalar)"
    }
  }
}

extension HTTPHeaders {
  /// Compares two field names as RFC 9110 §5.1 does, without regard to ASCII case.
  static func isSameName(_ one: String, _ other: String) -> Bool {
    // Most names differ in length already; the bytes of the others lie in one place in memory.
    guard one.utf8.count == other.utf8.count else { return false }
    let answer = one.utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in isSame(left, right) }
    }
    if let answer, let answer { return answer }
    return isSame(one.utf8, other.utf8)
  }

  private static func isSame(_ one: some Sequence<UInt8>, _ other: some Sequence<UInt8>) -> Bool {
    zip(one, other).allSatisfy { left, right in
      left == right || left | 0x20 == right | 0x20 && (0x61...0x7A).contains(left | 0x20)
    }
  }
}
