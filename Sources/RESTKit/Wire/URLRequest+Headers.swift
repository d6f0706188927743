import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// Sets each header field unless the request has one of that name.
  mutating func setIfAbsent(_ fields: [String: String]) {
    if allHTTPHeaderFields?.isEmpty ?? true {
      allHTTPHeaderFields = fields
    } else {
      for (name, value) in fields { setIfAbsent(value, for: name) }
    }
  }

  /// Whether a field is set, in any spelling of its name.
  func hasField(_ name: String) -> Bool {
    // Foundation's own look-up makes a text of every name.
    guard let fields = allHTTPHeaderFields, !fields.isEmpty else { return false }
    return fields.keys.contains { HTTPHeaders.isSameName($0, name) }
  }

  /// Replaces the fields that have one of the names.
  ///
  /// A name that occurs more than once keeps each of its values, in one line.
  mutating func replaceHeaders(with fields: HTTPHeaders) {
    var replaced = HTTPHeaders()
    for (name, _) in fields where !replaced.contains(name) {
      replaced.append(name: name, value: "")
      // Cookies are joined according to RFC 6265 §4.2.1; a comma would be part of the first one's value.
      let separator = HTTPHeaders.isSameName(name, "Cookie") ? "; " : ","
      replaceHeader(name, with: fields.values(for: name).joined(separator: separator))
    }
  }

  /// Sets or removes a header field, in place of all fields of that name in any spelling.
  ///
  /// `allHTTPHeaderFields` can hold a name in several spellings. Foundation on Linux then finds, sets and
  /// removes only the one that comes first in hash order.
  mutating func replaceHeader(_ name: String, with value: String?) {
    for field in (allHTTPHeaderFields ?? [:]).keys where HTTPHeaders.isSameName(field, name) {
      // Runs once for each spelling, and removes another one each time.
      setValue(nil, forHTTPHeaderField: field)
    }
    if let value { setIfAbsent(value, for: name) }
  }

  /// Sets a header field unless the request has one of that name.
  ///
  /// Foundation takes microseconds to find a field and as many to set it. This method reads all fields once
  /// and sets them once.
  ///
  /// - Returns: Whether the field was set.
  @discardableResult
  mutating func setIfAbsent(_ value: String, for name: String) -> Bool {
    var fields = allHTTPHeaderFields ?? [:]
    guard !fields.keys.contains(where: { HTTPHeaders.isSameName($0, name) }) else { return false }
    fields[name] = value
    allHTTPHeaderFields = fields
    return true
  }
}
