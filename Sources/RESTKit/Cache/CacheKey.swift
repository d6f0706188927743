import Foundation

/// The key of stored responses (RFC 9111 §2): the target, for one principal.
///
/// The method is not part of it: a stored response to GET also answers a HEAD.
struct CacheKey: Hashable, Sendable {
  /// The target URI without its fragment, with scheme and host in lower case.
  let url: String
  let partition: CachePartition
}

extension CacheKey {
  /// - Returns: nil for a URL whose responses are never stored.
  init?(_ url: URL, partition: CachePartition) {
    guard let target = Self.target(url) else { return nil }
    self.init(url: target, partition: partition)
  }

  /// Returns a URL in its normal form (RFC 9110 §4.2.3): scheme and host in lower case, no default
  /// port, `/` for an empty path, no fragment, and escapes as RFC 3986 §6.2.2 writes them.
  ///
  /// - Returns: nil for a URL that is not http(s), and for one with user info, which is a secret.
  static func target(_ url: URL) -> String? {
    let text = url.absoluteString
    let bytes = text.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[colon...].starts(with: "://".utf8)
    else { return nil }
    let authority = bytes.index(colon, offsetBy: 3)
    let scheme = text[..<colon].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let path =
      bytes[authority...].firstIndex { byte in
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
      } ?? bytes.endIndex
    let end = bytes[path...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
    let place = bytes[authority..<path]
    guard !place.isEmpty, !place.contains(UInt8(ascii: "@")) else { return nil }
    let host = host(text[authority..<path], scheme)
    let isRooted = path < bytes.endIndex && bytes[path] == UInt8(ascii: "/")
    let rest = PercentEncoding.normalized(text[path..<end])
    if end == bytes.endIndex, isRooted, host == text[authority..<path], scheme == text[..<colon],
      rest == nil
    {
      return text
    }
    return "\(scheme)://\(host)\(isRooted ? "" : "/")\(rest ?? String(text[path..<end]))"
  }

  private static func host(_ authority: Substring, _ scheme: String) -> String {
    let host = authority.lowercased()
    let port = scheme == "https" ? ":443" : ":80"
    if host.hasSuffix(port) { return String(host.dropLast(port.count)) }
    return host.hasSuffix(":") ? String(host.dropLast()) : host
  }
}

/// The owner of stored responses, which a cache keeps apart from those of others.
struct CachePartition: Hashable, Sendable {
  /// A unique text, from which no secret can be derived.
  let name: String
  /// Whether the name means the same principal in another process, so that responses may be stored in a
  /// folder.
  let isLasting: Bool

  /// Whether another partition is this one, or this principal's with further secrets.
  func includes(_ other: CachePartition) -> Bool {
    other == self || !name.isEmpty && other.name.hasPrefix("\(name)/")
  }

  /// The partition of requests without a credential.
  static let anonymous = CachePartition(name: "", isLasting: true)
}

extension CachePartition {
  /// Makes the partition of a request's response: of the signed-in user, and of the request's secrets
  /// besides the user's token.
  ///
  /// - Parameters:
  ///   - fields: The header fields of the request.
  ///   - principal: The principal whose token the call's first request carried; nil if no session is known.
  ///   - secretHeaders: The names of further secret header fields.
  init(of fields: [String: String], askedBy principal: SignInSpan?, secretHeaders: [String]) {
    var secrets: [(name: String, value: String)] = []
    for (name, value) in fields {
      // A token changes with each refresh, but its user does not.
      if principal != nil, HTTPHeaders.isSameName(name, "Authorization") { continue }
      if HTTPHeaders.secretNames.contains(where: { HTTPHeaders.isSameName($0, name) })
        || secretHeaders.contains(where: { HTTPHeaders.isSameName($0, name) })
      {
        secrets.append((name.lowercased(), value))
      }
    }
    guard !secrets.isEmpty else {
      self = principal.map { CachePartition(of: $0) } ?? .anonymous
      return
    }
    secrets.sort { $0 < $1 }
    self.init(
      name: "\(principal?.name ?? "")/\(Self.digest(of: secrets))", isLasting: false)
  }

  /// Makes the partition of a signed-in user whose token is the only secret.
  init(of principal: SignInSpan) {
    self.init(name: principal.name, isLasting: false)
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
