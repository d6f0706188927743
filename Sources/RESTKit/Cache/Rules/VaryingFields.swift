/// The request's fields that a response depends on (RFC 9111 §4.1).
enum VaryingFields {
  /// Returns the names in all lines of `Vary`, in lower case; nil if one of them is `*`.
  static func names(of headers: HTTPHeaders) -> [String]? {
    var names: [String] = []
    for (name, value) in headers where HTTPHeaders.isSameName(name, "Vary") {
      for member in FieldMembers.split(value) {
        guard member != "*" else { return nil }
        names.append(member.lowercased())
      }
    }
    return names
  }

  /// Returns the request's values of the fields that a response depends on; nil for `Vary: *`.
  static func values(for headers: HTTPHeaders, in request: CacheRequest) -> [String: String?]? {
    guard let names = names(of: headers) else { return nil }
    return Dictionary(
      names.map { name in
        (name, request.value(of: name).map { normalized($0, of: name) })
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Whether a request has the same values of these fields as the request of the response.
  static func match(_ varying: [String: String?], _ request: CacheRequest) -> Bool {
    for (name, expected) in varying {
      let value = request.value(of: name)
      // Most values are written in the same way, and are compared without making new ones.
      if value == expected { continue }
      guard let value, let expected, normalized(value, of: name) == expected else { return false }
    }
    return true
  }

  /// Returns the normal form of a value, which equal values share.
  ///
  /// Blanks around the members of a list are removed. If case and order have no meaning by the field's
  /// own rules (RFC 9110 §12.5), the members are sorted and in lower case.
  static func normalized(_ value: String, of name: String) -> String {
    var members = FieldMembers.split(value).map(String.init)
    switch name {
    case "accept-encoding", "accept-language", "accept-charset":
      members = members.map { member in
        String(decoding: member.utf8.filter { !$0.isBlank }, as: UTF8.self).lowercased()
      }.sorted()
    case "accept": members.sort()
    default: break
    }
    return members.joined(separator: ",")
  }
}
