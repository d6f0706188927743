import Foundation

/// A stored response as one request gets it (RFC 9111 §4).
struct CachedResponse: Sendable {
  enum Form: Hashable, Sendable {
    case whole
    /// The head alone, for a HEAD.
    case head
    /// A 304, because the client has the response already (RFC 9111 §4.3.2).
    case notModified
    /// A part of its bytes, which is never empty.
    case range(Range<Int>)
  }

  let stored: StoredResponse
  let freshness: Freshness
  let form: Form

  /// The head.
  ///
  /// Its `Age` is current (RFC 9111 §5.1), and the rest is as it was stored.
  var head: ResponseHead {
    let kept = stored.head
    var headers = kept.headers
    var status = kept.statusCode
    switch form {
    case .whole, .head: break
    case .notModified:
      status = 304
      headers = HTTPHeaders(headers.filter { Self.belongsIn304($0.name) })
    case .range(let range):
      status = 206
      headers.set(
        name: "Content-Range",
        value: "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(stored.data.count)")
      headers.set(name: "Content-Length", value: String(range.count))
    }
    headers.set(name: "Age", value: String(Int64(freshness.age)))
    return ResponseHead(
      url: kept.url, statusCode: status, httpVersion: kept.httpVersion, headers: headers)
  }

  var data: Data {
    switch form {
    case .whole: stored.data
    case .head, .notModified: Data()
    case .range(let range): Data(stored.data.dropFirst(range.lowerBound).prefix(range.count))
    }
  }

  /// RFC 9110 §15.4.5.
  private static func belongsIn304(_ name: String) -> Bool {
    [
      "Cache-Control", "Content-Location", "Date", "ETag", "Expires", "Last-Modified", "Vary",
    ].contains { HTTPHeaders.isSameName($0, name) }
  }
}
