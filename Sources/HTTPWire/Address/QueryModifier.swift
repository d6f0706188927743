import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// Returns this request with items in its query, which replace all items of their names.
  ///
  /// The other items stay as they are, and the new ones follow them. All but letters, digits and
  /// `-._~` is escaped, so that no server reads the `+` of a time or a cursor as a space, as with
  /// Foundation's `append(queryItems:)`.
  ///
  /// ```swift
  /// .follow { request, last in request.settingQuery(["since": last.time]) }
  /// ```
  ///
  /// - Parameter items: The items, given as they are. No items change nothing.
  public func settingQuery(_ items: QueryItems) -> URLRequest {
    guard !items.isEmpty, let text = url?.absoluteString else { return self }
    let whole = text.prefix { $0 != "#" }
    let path = whole.prefix { $0 != "?" }
    let names = Set(items.map(\.name))
    let old = whole.dropFirst(path.count + 1)
    let kept = old.split(separator: "&", omittingEmptySubsequences: old.isEmpty).filter { item in
      let name = item.prefix { $0 != "=" }
      return !names.contains(name.removingPercentEncoding ?? String(name))
    }
    let query = kept.map(String.init) + items.map { QueryEncoding.text(of: $0) }
    let fragment = text.dropFirst(whole.count)
    var request = self
    request.url = URL(string: "\(path)?\(query.joined(separator: "&"))\(fragment)")
    return request
  }
}
