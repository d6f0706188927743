import Foundation

/// Writes a query so that every server reads the same pairs from it.
///
/// All but the unreserved characters of RFC 3986 are escaped, which `URLComponents` does not do: it
/// leaves `+`, and servers read that as a space. Order, duplicates, empty names and empty values
/// are kept; an item without a value is its bare name; no items make no query and no `?`.
enum QueryEncoding {
  /// The longest query, in bytes once encoded: far more than servers take, so more is a mistake.
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
      url.appendEncodingAllButUnreserved(item.name)
      if let value = item.value {
        url += "="
        url.appendEncodingAllButUnreserved(value)
      }
      guard url.utf8.count - lengthBefore <= maximumLength else {
        throw URLJoinError(
          .query, "is longer than \(maximumLength) bytes", remedy: "send long data as a body")
      }
    }
  }
}
