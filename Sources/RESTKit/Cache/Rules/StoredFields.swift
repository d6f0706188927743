/// The header fields that are stored (RFC 9111 §3.1).
enum StoredFields {
  /// Fields that describe the stored bytes, and are never updated (RFC 9111 §3.2).
  ///
  /// The bytes are decoded, so that another coding would not match them.
  static let dependsOnData = ["Content-Length", "Content-Encoding", "Content-Range"]

  /// RFC 9110 §7.6.1, and those of a proxy.
  private static let ofConnection = [
    "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade",
    "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
  ]

  /// Fields that a cache uses.
  ///
  /// `Connection` cannot remove them (RFC 9110 §7.6.1).
  private static let ofCache = [
    "cache-control", "age", "date", "expires", "etag", "last-modified", "vary", "content-encoding",
    "content-length",
  ]

  /// Returns the fields that `Connection` names, in lower case.
  static func connectionFields(of headers: HTTPHeaders) -> Set<String> {
    // A server can name a hundred thousand fields, and each line of a head is looked up.
    let names = headers.values(for: "Connection").flatMap { FieldMembers.split($0) }
    return Set(names.map { $0.lowercased() }).subtracting(ofCache)
  }

  /// - Parameter named: The fields that `Connection` names.
  static func isOfConnection(_ name: String, _ named: Set<String>) -> Bool {
    ofConnection.contains { HTTPHeaders.isSameName($0, name) } || contains(name, in: named)
  }

  /// - Parameter names: Names in lower case.
  private static func contains(_ name: String, in names: Set<String>) -> Bool {
    !names.isEmpty && names.contains(name.lowercased())
  }

  /// Returns a head without the fields of the connection and of a proxy, and without those that a
  /// `no-cache` lists.
  ///
  /// No stored response has those before the server has sent them again (RFC 9111 §5.2.2.4).
  static func kept(of head: ResponseHead, _ control: CacheControl) -> ResponseHead {
    let named = connectionFields(of: head.headers)
    let listed = Set(control.noCacheFields).subtracting(ofCache)
    let fields = head.headers.filter { field in
      !isOfConnection(field.name, named) && !contains(field.name, in: listed)
    }
    return ResponseHead(
      url: head.url, statusCode: head.statusCode, httpVersion: head.httpVersion,
      headers: HTTPHeaders(fields))
  }
}
