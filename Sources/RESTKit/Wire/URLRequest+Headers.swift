import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// Sets header fields, each unless there is one of that name.
  mutating func setIfAbsent(_ fields: [String: String]) {
    if allHTTPHeaderFields?.isEmpty ?? true {
      allHTTPHeaderFields = fields
    } else {
      for (name, value) in fields { setIfAbsent(value, for: name) }
    }
  }

  /// Puts header fields in the place of all of their names; a name that stands more than once keeps each
  /// of its lines.
  mutating func replaceHeaders(with fields: HTTPHeaders) {
    guard !fields.isEmpty else { return }
    var replaced: Set<String> = []
    for (name, value) in fields {
      if replaced.insert(name.lowercased()).inserted {
        replaceHeader(name, with: value)
      } else {
        addValue(value, forHTTPHeaderField: name)
      }
    }
  }

  /// Sets a header field, or removes it, in the place of all of that name, however they are spelled.
  ///
  /// `allHTTPHeaderFields` can hold a name in several spellings. Foundation on Linux then finds, sets and
  /// removes one of them, whichever comes first in the order of a hash.
  mutating func replaceHeader(_ name: String, with value: String?) {
    for field in (allHTTPHeaderFields ?? [:]).keys where HTTPHeaders.isSameName(field, name) {
      // As often as there are spellings: each time another one goes.
      setValue(nil, forHTTPHeaderField: field)
    }
    if let value { setIfAbsent(value, for: name) }
  }

  /// Sets a header field, unless there is one of that name.
  ///
  /// Foundation takes microseconds to find a field and as many to set it; this looks at all of them
  /// once, and sets them once.
  ///
  /// - Returns: Whether it was set.
  @discardableResult
  mutating func setIfAbsent(_ value: String, for name: String) -> Bool {
    var fields = allHTTPHeaderFields ?? [:]
    guard !fields.keys.contains(where: { HTTPHeaders.isSameName($0, name) }) else { return false }
    fields[name] = value
    allHTTPHeaderFields = fields
    return true
  }
}
