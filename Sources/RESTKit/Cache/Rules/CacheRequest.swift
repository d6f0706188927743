import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The parts of a request that a cache needs, read once.
struct CacheRequest: Sendable {
  let method: HTTPMethod
  let url: URL?
  let control: CacheControl
  /// The conditions that a cache can judge (RFC 9111 §4.3.2).
  private(set) var ifNoneMatch: String?
  private(set) var ifModifiedSince: String?
  private(set) var ifRange: String?
  private(set) var range: String?
  /// Whether the request has a condition that only the server can evaluate.
  private(set) var hasServerCondition = false
  /// Whether the server is always asked.
  var isRevalidated = false
  /// The moment from which on stored responses count as fresh.
  ///
  /// If it is set, no stale response is used.
  var refusesStaleSince: Date?
  /// The names of secrets, whose fields are part of the identity of the request.
  ///
  /// Partitions already separate the responses of different identities, and a new token does not
  /// change the principal.
  var secretNames: SecretNames?
  private let fields: [String: String]

  init(_ request: URLRequest) {
    // Foundation takes microseconds to find one field, so all are read at once.
    self.init(
      method: request.method, url: request.url, fields: request.allHTTPHeaderFields ?? [:])
  }

  /// - Parameters:
  ///   - fields: The header fields. Lines of the same name are joined with commas.
  ///   - options: The way to use the cache; nil for the standard.
  ///   - secretNames: The names of secrets; nil for none.
  init(
    method: HTTPMethod, url: URL?, fields: [String: String], options: CacheOptions? = nil,
    secretNames: SecretNames? = nil
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    isRevalidated = options?.isRevalidated ?? false
    refusesStaleSince = options?.refusesStaleSince
    self.secretNames = secretNames
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

  /// Whether the request has a condition of its own (RFC 9110 §13.1).
  var isConditional: Bool {
    ifNoneMatch != nil || ifModifiedSince != nil || hasServerCondition || ifRange != nil
  }

  /// Whether no stale response is used.
  var refusesStale: Bool { refusesStaleSince != nil }

  /// Whether a stored response may be used only after a validation (RFC 9111 §5.2.1.4).
  var wantsValidation: Bool {
    isRevalidated || control.flags.contains(.noCache) || !control.noCacheFields.isEmpty
  }

  /// Returns the value of a field.
  ///
  /// The case of its name does not matter.
  ///
  /// - Returns: nil also for a field that can carry a credential.
  func value(of name: String) -> String? {
    guard secretNames?.isCredential(name) != true else { return nil }
    if let value = fields[name] { return value }
    return fields.first { HTTPHeaders.isSameName($0.key, name) }?.value
  }
}
