/// Which header fields are kept (RFC 9111 §3.1).
enum StoredFields {
  /// Fields that say what the kept bytes are: they stay as they came with them (RFC 9111 §3.2).
  ///
  /// The bytes are decoded, so that another coding would not be theirs.
  static let dependsOnData = ["Content-Length", "Content-Encoding", "Content-Range"]

  /// RFC 9110 §7.6.1, and those of a proxy.
  private static let ofConnection = [
    "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade",
    "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
  ]

  /// Fields that a cache goes by: nobody can have them left out (RFC 9110 §7.6.1).
  private static let ofCache = [
    "cache-control", "age", "date", "expires", "etag", "last-modified", "vary", "content-encoding",
    "content-length",
  ]

  /// The fields that `Connection` names, in small letters.
  static func connectionFields(of headers: HTTPHeaders) -> [String] {
    headers.values(for: "Connection").flatMap { FieldMembers.split($0) }
      .map { $0.lowercased() }.filter { !ofCache.contains($0) }
  }

  /// - Parameter named: The fields that `Connection` names.
  static func isOfConnection(_ name: String, _ named: [String]) -> Bool {
    ofConnection.contains { HTTPHeaders.isSameName($0, name) }
      || named.contains { HTTPHeaders.isSameName($0, name) }
  }

  /// A head without what is not kept: the connection's fields, the proxy's, and those that a `no-cache`
  /// lists, so that no answer brings them before the server has said them again (RFC 9111 §5.2.2.4).
  static func kept(of head: ResponseHead, _ control: CacheControl) -> ResponseHead {
    let named = connectionFields(of: head.headers)
    let listed = control.noCacheFields.filter { !ofCache.contains($0) }
    let fields = head.headers.filter { field in
      !isOfConnection(field.name, named)
        && !listed.contains { HTTPHeaders.isSameName($0, field.name) }
    }
    return ResponseHead(
      url: head.url, statusCode: head.statusCode, httpVersion: head.httpVersion,
      headers: HTTPHeaders(fields))
  }
}
