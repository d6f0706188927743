import Foundation

/// The names and values of a query or a form, in order and not encoded.
///
/// A literal keeps the order and repeated names. Numbers and booleans are written as Swift writes
/// them. A nil value leaves its name out, so that an optional filter needs no `if`:
///
/// ```swift
/// api.get(endpoint: "search", query: ["q": text, "tag": "a", "tag": "b", "page": 2, "after": cursor])
/// ```
///
/// For a list in a variable, write its pairs: `QueryItems(ids.map { ("ids[]", $0) })`. Lists are
/// added with `+`.
///
/// Its text forms show no name and no value. An array literal of `URLQueryItem` works as well.
/// There, an item without a value is its bare name, as in Foundation: `[URLQueryItem(name: "draft",
/// value: nil)]` sends `?draft`.
public struct QueryItems: Sendable, Hashable {
  private var items: [URLQueryItem]

  /// Creates an empty list.
  public init() { items = [] }

  /// Creates the list of `items`, in their order.
  public init(_ items: some Sequence<URLQueryItem>) {
    self.items = Array(items)
  }

  /// Creates the list of `pairs`, in their order.
  ///
  /// A number or a boolean is written as Swift writes it.
  public init<Value: LosslessStringConvertible>(_ pairs: some Sequence<(String, Value)>) {
    self.init(pairs.lazy.map { URLQueryItem(name: $0, value: $1.description) })
  }

  /// Creates the list of `pairs`, in their order, without those whose value is nil.
  public init<Value: LosslessStringConvertible>(_ pairs: some Sequence<(String, Value?)>) {
    self.init(
      pairs.lazy.compactMap { pair in
        pair.1.map { URLQueryItem(name: pair.0, value: $0.description) }
      })
  }

  /// Creates the list of `pairs`, in their order, such as those of a sorted dictionary.
  public init<Value: LosslessStringConvertible>(
    _ pairs: some Sequence<(key: String, value: Value)>
  ) {
    self.init(pairs.lazy.map { ($0.key, $0.value) })
  }

  /// Creates the list of `pairs` with values of different types, in their order, without those
  /// whose value is nil.
  @_disfavoredOverload
  public init(_ pairs: [(String, (any LosslessStringConvertible)?)]) {
    self.init()
    for (name, value) in pairs { append(name: name, value: value) }
  }

  /// Creates the list of a dictionary's names and values, sorted by name.
  public init<Value: LosslessStringConvertible>(_ items: [String: Value]) {
    self.init(items.sorted { $0.key < $1.key })
  }

  /// Creates the same list, such as of a literal with numbers and nil.
  public init(_ items: QueryItems) {
    self = items
  }

  /// A query has names and values, and a value is a text, a number or a boolean.
  @available(
    *, unavailable,
    message: """
      write pairs of a name and a text, a number or a boolean, such as \
      QueryItems(ids.map { ("ids[]", $0) }), with an enum's rawValue; for an Encodable value, write \
      QueryItems(encoding:)
      """
  )
  @_disfavoredOverload
  public init(_ items: some Sequence) {
    self.init()
  }

  /// Adds a name and its value at the end; a nil value adds nothing.
  ///
  /// - Parameters:
  ///   - name: The name, not encoded.
  ///   - value: A text, or a number or a boolean, which is written as Swift writes it.
  public mutating func append(name: String, value: (any LosslessStringConvertible)?) {
    guard let value else { return }
    items.append(URLQueryItem(name: name, value: value.description))
  }

  /// Adds the items of another list at the end.
  public mutating func append(contentsOf other: QueryItems) {
    items += other.items
  }

  /// Returns the items of both lists, in their order.
  public static func + (first: QueryItems, second: QueryItems) -> QueryItems {
    QueryItems(first.items + second.items)
  }

  /// Adds the items of the second list to the first one.
  public static func += (first: inout QueryItems, second: QueryItems) {
    first.append(contentsOf: second)
  }
}

extension QueryItems: ExpressibleByDictionaryLiteral {
  /// Creates the list of the pairs, in their order, without those whose value is nil.
  public init(dictionaryLiteral pairs: (String, (any LosslessStringConvertible)?)...) {
    self.init()
    for (name, value) in pairs { append(name: name, value: value) }
  }
}

extension QueryItems: ExpressibleByArrayLiteral {
  /// Creates the list of the items, in their order.
  public init(arrayLiteral items: URLQueryItem...) {
    self.init(items)
  }
}

extension QueryItems: RandomAccessCollection {
  /// The position of the first item.
  public var startIndex: Int { items.startIndex }

  /// The position after the last item.
  public var endIndex: Int { items.endIndex }

  /// The item at a position; a position outside the list is a programming error, as in `Array`.
  public subscript(position: Int) -> URLQueryItem { items[position] }
}

extension QueryItems: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of items, without their names and values.
  public var description: String { "QueryItems(\(items.count))" }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// An encoder of a query, which every server reads as the same pairs.
///
/// All but the unreserved characters of RFC 3986 are escaped. `URLComponents` leaves `+`, which
/// servers read as a space. Order, duplicates, empty names and empty values are kept. An item
/// without a value is a bare name. No items make no query and no `?`.
enum QueryEncoding {
  /// The maximum length of an encoded query, in bytes.
  ///
  /// Servers accept far less, so a longer query is a mistake.
  static let maximumLength = 1 << 20

  /// Appends `?` and `items` to a URL.
  ///
  /// - Throws: ``URLJoinError`` about the query, if it is too long.
  static func append(_ items: some Sequence<URLQueryItem>, to url: inout String)
    throws(URLJoinError)
  {
    let lengthBefore = url.utf8.count
    var separator = "?"
    for item in items {
      url += separator
      separator = "&"
      append(item, to: &url)
      guard url.utf8.count - lengthBefore <= maximumLength else {
        throw URLJoinError(
          .query, "is longer than \(maximumLength) bytes", remedy: "send long data as a body")
      }
    }
  }

  /// Returns an item as it is written in a query.
  static func text(of item: URLQueryItem) -> String {
    var text = ""
    append(item, to: &text)
    return text
  }

  private static func append(_ item: URLQueryItem, to text: inout String) {
    text.appendEncodingAllButUnreserved(item.name)
    guard let value = item.value else { return }
    text += "="
    text.appendEncodingAllButUnreserved(value)
  }
}

/// An encoder of a form's fields as `application/x-www-form-urlencoded`, which every server reads
/// as the same pairs.
///
/// A space is written as `%20`, not `+`: form parsers accept both (WHATWG URL §5.1), and other
/// parsers know only escapes. Order, duplicates and empty names and values are kept. A field
/// without a value gets an empty one, because many parsers drop a bare name.
package enum FormEncoding {
  package static func data(_ fields: some Sequence<URLQueryItem>) -> Data {
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
  package static func text(_ text: String) -> String {
    var encoded = ""
    encoded.appendEncodingAllButUnreserved(text)
    return encoded
  }
}
