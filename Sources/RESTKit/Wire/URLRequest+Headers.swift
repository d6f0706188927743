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

  /// Replaces the fields that have one of the names.
  ///
  /// A name that occurs more than once keeps each of its lines.
  mutating func replaceHeaders(with fields: HTTPHeaders) {
    for (place, field) in fields.enumerated() {
      let isRepeated = fields.prefix(place).contains { HTTPHeaders.isSameName($0.name, field.name) }
      guard !isRepeated else { continue }
      // `addValue` would silently leave out a line with a line break.
      replaceHeader(field.name, with: fields.values(for: field.name).joined(separator: ","))
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
