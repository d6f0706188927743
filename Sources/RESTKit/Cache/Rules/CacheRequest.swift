import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a cache has to know of a request, read once.
struct CacheRequest: Sendable {
  let method: HTTPMethod
  let url: URL?
  let control: CacheControl
  /// The conditions that a cache can judge (RFC 9111 §4.3.2).
  private(set) var ifNoneMatch: String?
  private(set) var ifModifiedSince: String?
  private(set) var ifRange: String?
  private(set) var range: String?
  /// Whether it states a condition that only the server can judge.
  private(set) var hasServerCondition = false
  /// Whether the server is asked whatever is kept.
  var isRevalidated = false
  /// Whether nothing stale is taken, whoever allows it; but what came since this moment is fresh enough.
  var refusesStaleSince: Date?
  /// The names of fields that tell who asks: answers are kept apart by them already, and a token that is
  /// renewed makes no other asker.
  var fieldsOfAsker: [String] = []
  private let fields: [String: String]

  init(_ request: URLRequest) {
    // Foundation takes microseconds to find one field: all are looked at once.
    self.init(
      method: request.method, url: request.url, fields: request.allHTTPHeaderFields ?? [:])
  }

  /// - Parameter fields: The header fields; of lines of one name, joined with commas.
  init(method: HTTPMethod, url: URL?, fields: [String: String]) {
    self.method = method
    self.url = url
    self.fields = fields
    var control: CacheControl?
    var hasPragma = false
    for (name, value) in fields {
      switch name.utf8.count {
      case 5 where HTTPHeaders.isSameName(name, "Range"): range = value
      case 6 where HTTPHeaders.isSameName(name, "Pragma"):
        hasPragma = CacheControl(line: value).flags.contains(.noCache)
      case 8 where HTTPHeaders.isSameName(name, "If-Match"): hasServerCondition = true
      case 8 where HTTPHeaders.isSameName(name, "If-Range"): ifRange = value
      case 13 where HTTPHeaders.isSameName(name, "Cache-Control"): control = .init(line: value)
      case 13 where HTTPHeaders.isSameName(name, "If-None-Match"): ifNoneMatch = value
      case 17 where HTTPHeaders.isSameName(name, "If-Modified-Since"): ifModifiedSince = value
      case 19 where HTTPHeaders.isSameName(name, "If-Unmodified-Since"): hasServerCondition = true
      default: break
      }
    }
    self.control = control ?? (hasPragma ? .noCache : CacheControl())
  }

  /// Whether it states any condition of its own (RFC 9110 §13.1).
  var isConditional: Bool {
    ifNoneMatch != nil || ifModifiedSince != nil || hasServerCondition || ifRange != nil
  }

  /// Whether nothing stale is taken, whoever allows it.
  var refusesStale: Bool { refusesStaleSince != nil }

  /// Whether what is kept may be given only after the server was asked (RFC 9111 §5.2.1.4).
  var wantsValidation: Bool {
    isRevalidated || control.flags.contains(.noCache) || !control.noCacheFields.isEmpty
  }

  /// The value of a field, its name in any case.
  ///
  /// - Returns: nil also for a field that tells who asks.
  func value(of name: String) -> String? {
    guard !fieldsOfAsker.contains(where: { HTTPHeaders.isSameName($0, name) }) else { return nil }
    if let value = fields[name] { return value }
    return fields.first { HTTPHeaders.isSameName($0.key, name) }?.value
  }
}
