import Foundation

/// An encoder of a query, which every server reads as the same pairs.
///
/// All but the unreserved characters of RFC 3986 are escaped. `URLComponents` leaves `+`, which servers
/// read as a space. Order, duplicates, empty names and empty values are kept. An item without a value
/// is a bare name. No items make no query and no `?`.
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
