import Foundation

/// The header fields of a request or a response, in their original order, with duplicates.
///
/// Names are compared without regard to ASCII case, and keep their spelling (RFC 9110 §5.1). A
/// field that occurs more than once keeps each of its lines; `values(for:)` returns them all.
///
///     var headers: HTTPHeaders = ["Accept": "text/html", "accept": "application/json"]
///     headers["ACCEPT"]              // "text/html, application/json"
///     headers.values(for: "Accept")  // ["text/html", "application/json"]
///
/// `description` hides the values of fields that carry secrets, so it is safe in a log.
/// `debugDescription`, `dump` and string interpolation hide the same values.
public struct HTTPHeaders: Sendable {
  /// One header line.
  public typealias Element = (name: String, value: String)

  private var fields: [Element] = []
  /// The names of further secrets, which texts hide; nil for none.
  package private(set) var declaredSecrets: DeclaredSecrets?

  /// Makes an empty list.
  public init() {}

  /// Makes a list of the given lines, in order.
  public init(_ fields: some Sequence<Element>) {
    self.fields = Array(fields)
  }

  /// Creates a list of a dictionary's names and values, sorted by name.
  public init(_ fields: [String: String]) {
    self.init(fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
  }

  /// Returns all values of the field in order, one for each line, or an empty array if there are
  /// none.
  public func values(for name: String) -> [String] {
    var values: [String] = []
    for field in fields where Self.isSameName(field.name, name) {
      values.append(field.value)
    }
    return values
  }

  /// The value of the field, or nil if there is none.
  ///
  /// Several lines are joined with ", " as RFC 9110 §5.3 allows. The exception is `Set-Cookie`,
  /// since a cookie's date contains a comma: the result is the first line only, and `values(for:)`
  /// returns all lines.
  ///
  /// Setting a value replaces all lines of that name with one. Setting nil removes them.
  public subscript(name: String) -> String? {
    get {
      var joined: String?
      for field in fields where Self.isSameName(field.name, name) {
        guard joined != nil else {
          joined = field.value
          if Self.isSameName(name, "Set-Cookie") { break }
          continue
        }
        // A new text for each line would take quadratic time.
        joined?.append(", ")
        joined?.append(field.value)
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

  /// Returns whether there is at least one line of that name.
  public func contains(_ name: String) -> Bool {
    fields.contains { Self.isSameName($0.name, name) }
  }

  /// Adds a line at the end and keeps the present lines.
  public mutating func append(name: String, value: String) {
    // Most messages have several lines: this reserves room at once instead of doubling from one.
    if fields.isEmpty { fields.reserveCapacity(8) }
    fields.append((name, value))
  }

  /// Replaces the first line of that name and removes the others of that name.
  ///
  /// If there is none, adds the line at the end.
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
  package mutating func extendLast(with text: String) {
    guard let last = fields.indices.last else { return }
    let separator = fields[last].value.isEmpty || text.isEmpty ? "" : " "
    fields[last].value += separator + text
  }

  package mutating func removeAll(keepingCapacity: Bool) {
    fields.removeAll(keepingCapacity: keepingCapacity)
  }

  /// Returns the same list, whose texts hide the values of declared names, too.
  package func hiding(_ declared: DeclaredSecrets) -> HTTPHeaders {
    var headers = self
    headers.declaredSecrets = declared
    return headers
  }
}

extension HTTPHeaders: RandomAccessCollection {
  /// The position of the first line.
  public var startIndex: Int { fields.startIndex }

  /// The position after the last line.
  public var endIndex: Int { fields.endIndex }

  /// The line at a position.
  ///
  /// A position outside the list is a programming error, as in `Array`.
  public subscript(position: Int) -> Element { fields[position] }
}

extension HTTPHeaders: Equatable {
  /// Two lists are equal if they have the same lines in the same order, with names in any case.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.count == right.count
      && zip(left.fields, right.fields).allSatisfy { one, other in
        one.value == other.value && isSameName(one.name, other.name)
      }
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Makes a list of the literal's pairs in order, with duplicates.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { (name: $0.0, value: $0.1) }
  }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A text with one `Name: value` per line.
  ///
  /// `<redacted>` replaces the values of the fields that ``Redaction/byName`` hides, such as
  /// `Authorization`, `Cookie`, and each field with a word such as `token`, `secret` or `key` in
  /// its name. In a response to an API, it also replaces those of the API's `secretHeaders`.
  /// `REDACTED` replaces the values of such names in the query of a URL. Control characters are
  /// shown as `\u{…}`.
  public var description: String {
    shown.map { field in "\(field.name): \(field.value)" }.joined(separator: "\n")
  }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// A mirror that shows the lines as `description` does, so that `dump` shows no secret either.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: shown.map { field -> Mirror.Child in (label: field.name, value: field.value) },
      displayStyle: .dictionary)
  }

  /// The lines as a text may show them.
  private var shown: [Element] {
    Redaction.byName.adding(declaredSecrets).fields(fields).map { name, value in
      (name: name.printable, value: value.printable)
    }
  }
}

extension HTTPHeaders {
  /// Compares two field names as RFC 9110 §5.1 does, without regard to ASCII case.
  package static func isSameName(_ one: String, _ other: String) -> Bool {
    // Most names differ in length. The bytes of the others are usually in contiguous memory.
    guard one.utf8.count == other.utf8.count else { return false }
    let isSameName = one.utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in isSame(left, right) }
    }
    if let isSameName, let isSameName { return isSameName }
    return isSame(one.utf8, other.utf8)
  }

  private static func isSame(_ one: some Sequence<UInt8>, _ other: some Sequence<UInt8>) -> Bool {
    zip(one, other).allSatisfy { left, right in
      left == right || left | 0x20 == right | 0x20 && (0x61...0x7A).contains(left | 0x20)
    }
  }
}

extension HTTPHeaders {
  /// The links of all `Link` lines, in order (RFC 8288 §3).
  ///
  /// A malformed line counts up to its first fault. Reading takes time proportional to the length
  /// of the lines.
  public var links: [HTTPLink] {
    values(for: "Link").flatMap { line in
      var reader = LinkReader(line)
      var links: [HTTPLink] = []
      while let link = reader.next() { links.append(link) }
      return links
    }
  }
}

extension HTTPHeaders {
  /// Returns the wait that the server asks for with `Retry-After` (RFC 9110 §10.2.3), in seconds or
  /// as a date; nil if no such field is readable.
  ///
  /// A date is compared with the response's own `Date`, so that a wrong clock has no effect. A date
  /// in the past means no wait. If there are several values, the longest wait counts. A wait is at
  /// most 68 years.
  ///
  /// - Parameter now: The current time, for a response without a `Date`.
  public func retryAfter(now: Date = Date()) -> Duration? {
    let lines = values(for: "Retry-After")
    guard !lines.isEmpty else { return nil }
    let here = now.wholeSecondsSince1970
    let server = self["Date"].flatMap { HTTPDate.secondsSince1970($0, now: here) }
    return lines.compactMap { RetryAfter.seconds($0, now: server ?? here) }.max()
      .map { .seconds($0) }
  }
}
