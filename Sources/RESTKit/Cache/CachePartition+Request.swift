extension CachePartition {
  /// Makes the partition of a request's response: of the signed-in user, and of the request's secrets
  /// besides the user's token.
  ///
  /// - Parameters:
  ///   - fields: The header fields of the request.
  ///   - asker: The asker whose token the call's first request carried; nil if no session is known.
  ///   - secretHeaders: The names of further secret header fields.
  init(of fields: [String: String], askedBy asker: SignInSpan?, secretHeaders: [String]) {
    var secrets: [(name: String, value: String)] = []
    for (name, value) in fields {
      // A token changes with each refresh, but its user does not.
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
      name: "\(asker?.name ?? "")/\(Self.digest(of: secrets))", isLasting: false)
  }

  /// Makes the partition of a signed-in user whose token is the only secret.
  init(of asker: SignInSpan) {
    self.init(name: asker.name, isLasting: false)
  }

  /// Returns 128 bits that are valid in this process only, so that a secret cannot be derived from
  /// them.
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
