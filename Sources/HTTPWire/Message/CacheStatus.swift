/// The use of a cache for a request, in the terms of RFC 9211.
public enum CacheStatus: Hashable, Sendable {
  /// The response comes from the cache, and nothing was sent.
  ///
  /// - Parameters:
  ///   - ttl: The number of seconds for which the response stays fresh; negative if it is stale.
  ///   - detail: More information, in words.
  case hit(ttl: Int, detail: String? = nil)

  /// The request went to a server.
  ///
  /// - Parameters:
  ///   - reason: The reason.
  ///   - status: The server's status, if the call got another one, such as after a 304.
  ///   - isStored: Whether the response was stored.
  ///   - isCollapsed: Whether the call shares the exchange of another call.
  ///   - ttl: The number of seconds for which the response stays fresh; nil if it is unknown.
  ///   - detail: More information, in words, such as the reason why the response was not stored.
  case forwarded(
    ForwardReason, status: Int? = nil, isStored: Bool = false, isCollapsed: Bool = false,
    ttl: Int? = nil, detail: String? = nil)

  /// The request accepts only a stored response (`only-if-cached`), and none can be used. The 504
  /// is the cache's own, and nothing was sent.
  case unsatisfied

  /// The reason why a cache asked a server (RFC 9211 §2.2).
  public enum ForwardReason: String, Hashable, Sendable, CaseIterable {
    /// The cache does not handle such requests.
    case bypass
    /// The cache does not answer the method.
    case method
    /// The cache has no response for the URL.
    case uriMiss = "uri-miss"
    /// The stored responses for the URL belong to other header fields (`Vary`).
    case varyMiss = "vary-miss"
    /// No stored response fits, for either of those reasons.
    case miss
    /// The stored response is fresh, but the request demands the server's response.
    case request
    /// The stored response is stale.
    case stale
    /// The stored response is a part of the requested content.
    case partial
  }

  /// Whether the response comes from the cache, and nothing was sent.
  public var isHit: Bool {
    if case .hit = self { true } else { false }
  }

  /// Whether a server sent or confirmed the response, and no stale response replaces a failure.
  var isOfServer: Bool {
    guard case .forwarded(_, let status, let isStored, _, let ttl, _) = self else { return false }
    // Without a connection there is no status. A received response has a time only if it is stored.
    return status.map { $0 < 500 } ?? (isStored || ttl == nil)
  }

  /// The value of the header field `Cache-Status`, such as `RESTKit; hit; ttl=376`.
  public var fieldValue: String {
    switch self {
    case .hit(let ttl, let detail):
      return "RESTKit; hit; ttl=\(ttl)" + Self.text(of: detail)
    case .forwarded(let reason, let status, let isStored, let isCollapsed, let ttl, let detail):
      let status = status.map { "; fwd-status=\($0)" } ?? ""
      let ttl = ttl.map { "; ttl=\($0)" } ?? ""
      return "RESTKit; fwd=\(reason.rawValue)" + status + ttl + (isStored ? "; stored" : "")
        + (isCollapsed ? "; collapsed" : "") + Self.text(of: detail)
    case .unsatisfied: return "RESTKit" + Self.text(of: "only-if-cached")
    }
  }

  /// Formats a string of RFC 8941 §3.3.3.
  ///
  /// Characters that are not allowed become a question mark.
  private static func text(of detail: String?) -> String {
    guard let detail else { return "" }
    var text = "; detail=\""
    for scalar in detail.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case " "..."~": text.unicodeScalars.append(scalar)
      default: text += "?"
      }
    }
    return text + "\""
  }
}

extension CacheStatus: CustomStringConvertible {
  /// The same as ``fieldValue``.
  public var description: String { fieldValue }
}
