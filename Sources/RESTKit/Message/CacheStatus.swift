/// What a cache did with a request, in the words of RFC 9211.
public enum CacheStatus: Hashable, Sendable {
  /// The answer was kept, and nothing was sent for it.
  ///
  /// - Parameters:
  ///   - ttl: For how many seconds it stays fresh; below zero where it was stale.
  ///   - detail: More about it, in words.
  case hit(ttl: Int, detail: String? = nil)

  /// A server was asked.
  ///
  /// - Parameters:
  ///   - reason: Why.
  ///   - status: What the server answered, where that is not what the call got: 304, for one.
  ///   - isStored: Whether the answer was kept.
  ///   - isCollapsed: Whether the call shares the exchange of another.
  ///   - ttl: For how many seconds the answer stays fresh; nil where nobody knows.
  ///   - detail: More about it, in words: why it was not kept, for one.
  case forwarded(
    ForwardReason, status: Int? = nil, isStored: Bool = false, isCollapsed: Bool = false,
    ttl: Int? = nil, detail: String? = nil)

  /// The request takes what is kept or nothing (`only-if-cached`), and nothing may be given: the 504 is the
  /// cache's own, and nothing was sent.
  case unsatisfied

  /// Why a cache asked a server (RFC 9211 §2.2).
  public enum ForwardReason: String, Hashable, Sendable, CaseIterable {
    /// The cache leaves such requests alone.
    case bypass
    /// The method is none that a cache answers.
    case method
    /// Nothing was kept for the URL.
    case uriMiss = "uri-miss"
    /// What was kept for the URL was chosen by other header fields.
    case varyMiss = "vary-miss"
    /// Nothing that was kept fits, for either of those reasons.
    case miss
    /// What was kept is fresh, and the request wanted the server asked.
    case request
    /// What was kept is stale.
    case stale
    /// What was kept is a part of what was asked for.
    case partial
  }

  /// Whether what was kept is the answer, and nothing was sent for it.
  public var isHit: Bool {
    if case .hit = self { true } else { false }
  }

  /// Whether the answer is what a server said or confirmed, and nothing stale stands in for a failure.
  var isOfServer: Bool {
    guard case .forwarded(_, let status, let isStored, _, let ttl, _) = self else { return false }
    // Without a connection there is no status; of an answer that came, a time is told where it is kept.
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

  /// A string of RFC 8941 §3.3.3; what cannot stand in one becomes a question mark.
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
