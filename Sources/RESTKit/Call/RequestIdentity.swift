import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Who asks, and over which road: what caches and shared exchanges keep apart.
///
/// Users are told apart by the session's user, and by the bytes of every field of the request that
/// can carry a credential. ``SecretNames`` says which these are.
struct RequestIdentity: Hashable, Sendable {
  let road: TransportIdentity
  /// The unique name of the signed-in user; nil without one.
  let principal: String?
  /// A digest of the credentials besides the principal's token; nil without any.
  private let credentials: UInt128?
  /// Whether the URL has a secret.
  private let hasSecretURL: Bool

  /// Makes the identity of a request.
  ///
  /// - Parameters:
  ///   - fields: The header fields.
  ///   - url: The URL as text, which Foundation makes anew each time it is asked.
  ///   - road: The road of the transport.
  ///   - principal: The user whose token the call's first request gets; nil if no session is known.
  ///   - names: The names of secrets.
  init(
    of fields: [String: String], to url: String, over road: TransportIdentity,
    askedBy principal: SignInSpan?, names: SecretNames
  ) {
    var credentials: [(name: String, value: String)] = []
    let knowsUsual = names == .standard
    for (name, value) in fields {
      if knowsUsual, SecretNames.usual.contains(name) { continue }
      guard names.contains(field: name) else { continue }
      // A token changes with each refresh, but its user does not.
      if principal != nil, HTTPHeaders.isSameName(name, "Authorization") { continue }
      credentials.append((name.lowercased(), value))
    }
    self.road = road
    self.principal = principal?.name
    self.credentials = credentials.isEmpty ? nil : Self.digest(of: credentials)
    hasSecretURL = names.haveSecret(in: url)
  }

  // Roads hardly ever differ where all else is equal, and a dictionary asks at each look.
  func hash(into hasher: inout Hasher) {
    if let principal { hasher.combine(principal) }
    if let credentials { hasher.combine(UInt(truncatingIfNeeded: credentials)) }
  }

  /// Makes the identity of a user whose token is the only secret.
  ///
  /// - Parameter principal: The unique name of a signed-in user; nil for nobody.
  init(over road: TransportIdentity = .plain, principal: String? = nil) {
    self.road = road
    self.principal = principal
    credentials = nil
    hasSecretURL = false
  }

  /// The identity of requests without a credential, over the system's network.
  static let anonymous = RequestIdentity()

  /// Whether there is a secret in the request.
  var hasSecret: Bool { principal != nil || credentials != nil || hasSecretURL }

  /// Whether another process can have the same identity, and find what is stored for it.
  var isLasting: Bool { !hasSecret && road.lastingRoad != nil }

  /// A text for all lasting identities, without a secret.
  var name: String { road.lastingRoad ?? "" }

  /// Returns 128 bits that are valid in this process only, so that a secret cannot be derived from
  /// them.
  private static func digest(of credentials: [(name: String, value: String)]) -> UInt128 {
    let sorted = credentials.sorted { $0 < $1 }
    return (0..<2).reduce(0) { digest, salt in
      var hasher = Hasher()
      hasher.combine(salt)
      for (name, value) in sorted {
        hasher.combine(ExactText(name))
        hasher.combine(ExactText(value))
      }
      return digest << 64 | UInt128(UInt(bitPattern: hasher.finalize()))
    }
  }
}

extension SecretNames {
  /// Names of fields and query items that most requests have, and that no standard list makes
  /// secret, so that they are not searched for words.
  static let usual: Set = [
    "Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "Content-Type", "If-Match",
    "If-Modified-Since", "If-None-Match", "If-Range", "Pragma", "Range", "User-Agent",
    "X-Request-ID",
    "traceparent", "tracestate", "id", "limit", "offset", "page", "q", "size", "sort",
  ]

  /// Returns whether a header field can carry a credential, at once for usual names.
  func isCredential(_ field: String) -> Bool {
    isUsual(field) ? false : contains(field: field)
  }

  /// Returns whether a query item of a URL has a secret name.
  func haveSecret(in url: String) -> Bool {
    // Most URLs have no query. Foundation takes microseconds to find that, and the indices of a
    // string more than its bytes.
    guard url.utf8.withContiguousStorageIfAvailable({ $0.contains(UInt8(ascii: "?")) }) ?? true,
      let mark = url.utf8.firstIndex(of: UInt8(ascii: "?"))
    else { return false }
    let query = url.utf8[url.utf8.index(after: mark)...].prefix { $0 != UInt8(ascii: "#") }
    return query.split(whereSeparator: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") })
      .contains { item in
        let name = String(Substring(item.prefix { $0 != UInt8(ascii: "=") }))
        return !isUsual(name) && contains(name.removingPercentEncoding ?? name)
      }
  }

  private func isUsual(_ name: String) -> Bool {
    self == .standard && Self.usual.contains(name)
  }
}
