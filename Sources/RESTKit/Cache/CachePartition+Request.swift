extension CachePartition {
  /// Whose an answer to a request is: that of who is signed in, and of the secrets that the request
  /// carries besides his token.
  ///
  /// - Parameters:
  ///   - fields: The header fields of the request.
  ///   - asker: Whose token the call's first request carried; nil where no session is known.
  ///   - secretHeaders: The names of header fields that are secret besides those that always are.
  init(of fields: [String: String], askedBy asker: RequestAsker?, secretHeaders: [String]) {
    var secrets: [(name: String, value: String)] = []
    for (name, value) in fields {
      // A token changes with each refresh, and its user does not.
      if asker != nil, HTTPHeaders.isSameName(name, "Authorization") { continue }
      if HTTPHeaders.secretNames.contains(where: { HTTPHeaders.isSameName($0, name) })
        || secretHeaders.contains(where: { HTTPHeaders.isSameName($0, name) })
      {
        secrets.append((name.lowercased(), value))
      }
    }
    guard !secrets.isEmpty else {
      self = asker.map { CachePartition(of: $0) } ?? .anonymous
      return
    }
    secrets.sort { $0 < $1 }
    self.init(
      name: "\(asker?.span.name ?? "")/\(Self.digest(of: secrets))", isLasting: false)
  }

  /// That of who is signed in, where his token is the only secret.
  init(of asker: RequestAsker) {
    self.init(name: asker.span.name, isLasting: false)
  }

  /// 128 bits that hold in this process only, so that nobody reads a secret out of them.
  private static func digest(of secrets: [(name: String, value: String)]) -> String {
    var digest = ""
    for salt in 0..<2 {
      var hasher = Hasher()
      hasher.combine(salt)
      for (name, value) in secrets {
        hasher.combine(name)
        hasher.combine(value)
      }
      digest += String(UInt(bitPattern: hasher.finalize()), radix: 16) + "."
    }
    return digest
  }
}
