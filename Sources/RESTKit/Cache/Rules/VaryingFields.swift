/// Which of a request's fields an answer depends on (RFC 9111 §4.1).
enum VaryingFields {
  /// The names in `Vary`, in small letters, in all its lines; nil where a `*` stands among them.
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

  /// What a request says in the fields that an answer depends on; nil for `Vary: *`.
  static func values(for headers: HTTPHeaders, in request: CacheRequest) -> [String: String?]? {
    guard let names = names(of: headers) else { return nil }
    return Dictionary(
      names.map { name in
        (name, request.value(of: name).map { normalized($0, of: name) })
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Whether a request says the same in these fields as the one that was answered.
  static func match(_ varying: [String: String?], _ request: CacheRequest) -> Bool {
    for (name, expected) in varying {
      let value = request.value(of: name)
      // Most values are written as they were: nothing has to be built to compare them.
      if value == expected { continue }
      guard let value, let expected, normalized(value, of: name) == expected else { return false }
    }
    return true
  }

  /// A value in a form that all have that mean the same.
  ///
  /// Blanks around the members of a list go. Where the field's own rules say that case and order mean
  /// nothing (RFC 9110 §12.5), small letters and one order stand for all.
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
