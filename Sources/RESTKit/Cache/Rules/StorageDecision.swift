import Foundation

/// The decision whether a response is stored, and in which form (RFC 9111 §3).
enum StorageDecision: Sendable {
  case store(StoredResponse)
  case refuse(Refusal)

  enum Refusal: Hashable, Sendable {
    case method(HTTPMethod)
    case status(Int)
    case requestNoStore
    case responseNoStore
    /// The server allows storing only if the status is understood (RFC 9111 §5.2.2.3).
    case mustUnderstand(Int)
    case varyStar
    /// The body was cut, or does not have its declared length.
    case incomplete
    /// The response comes from another URL.
    case redirected
    /// A response with this status is not stored without an explicit lifetime.
    case statusWithoutFreshness(Int)
    /// The response could never be used: it is not fresh, and cannot be validated.
    case useless
  }

  /// Decides about a response.
  ///
  /// - Parameters:
  ///   - isComplete: Whether the body is complete.
  ///   - requestTime: The time of the request, by the wall clock.
  ///   - responseTime: The time of the response, by the wall clock.
  init(
    _ request: CacheRequest, head: ResponseHead, data: Data, isComplete: Bool = true,
    requestTime: Date, responseTime: Date
  ) {
    let rules = ResponseRules(head, requestTime: requestTime, responseTime: responseTime)
    guard let varying = VaryingFields.values(for: head.headers, in: request) else {
      self = .refuse(Self.refusal(request, head, data, isComplete, rules) ?? .varyStar)
      return
    }
    if let refusal = Self.refusal(request, head, data, isComplete, rules) {
      self = .refuse(refusal)
      return
    }
    var kept = Self.dated(StoredFields.kept(of: head, rules.control), responseTime)
    kept.departure = nil
    self = .store(
      StoredResponse(
        head: kept, data: data,
        requestTime: requestTime, responseTime: responseTime, varying: varying, knownRules: rules))
  }

  private static func refusal(
    _ request: CacheRequest, _ head: ResponseHead, _ data: Data, _ isComplete: Bool,
    _ rules: ResponseRules
  ) -> Refusal? {
    let status = head.statusCode
    let flags = rules.control.flags
    guard request.method == .get else { return .method(request.method) }
    guard 200...599 ~= status, !isNeverStored(status) else { return .status(status) }
    guard !request.control.flags.contains(.noStore) else { return .requestNoStore }
    if flags.contains(.mustUnderstand) {
      guard HTTPStatus.phrase(for: status) != nil else { return .mustUnderstand(status) }
    } else if flags.contains(.noStore) {
      return .responseNoStore
    }
    guard isComplete, hasWholeBody(head, data) else { return .incomplete }
    guard isResponse(head, to: request) else { return .redirected }
    let isExplicit = rules.kind == .explicit
    guard
      isExplicit || flags.contains(.isPublic) || flags.contains(.isPrivate)
        || ResponseRules.isHeuristicallyCacheable(status)
    else { return .statusWithoutFreshness(status) }
    guard !rules.hasValidator else { return nil }
    let mayBeGiven =
      rules.kind != .none && !flags.contains(.noCache)
      && (rules.lifetime > 0 || !flags.contains(.mustRevalidate))
    return mayBeGiven ? nil : .useless
  }

  /// Whether no response with a status is stored, even with an explicit lifetime.
  private static func isNeverStored(_ status: Int) -> Bool {
    switch status {
    // A 206 would have to be combined, and a 304 is not a complete response.
    case 206, 304: true
    // They are about the request's condition or range, and the key of a response has neither.
    case 412, 416: true
    // RFC 6585 forbids it: these are about the client or its network, not about the resource.
    case 428, 429, 431, 511: true
    default: false
    }
  }

  /// Whether the body has its declared length.
  ///
  /// For a decoded body this is unknown.
  private static func hasWholeBody(_ head: ResponseHead, _ data: Data) -> Bool {
    let headers = head.headers
    guard HTTPStatus.allowsBody(head.statusCode, to: "GET"),
      !headers.contains("Content-Encoding"), !headers.contains("Transfer-Encoding"),
      let length = headers.values(for: "Content-Length").first, let length = Int64(length)
    else { return true }
    return length == Int64(data.count)
  }

  private static func isResponse(_ head: ResponseHead, to request: CacheRequest) -> Bool {
    guard let url = request.url else { return false }
    return head.url == url || CacheKey.target(head.url) == CacheKey.target(url)
  }

  /// Returns the head with a date, as RFC 9110 §6.6.1 requires.
  private static func dated(_ head: ResponseHead, _ responseTime: Date) -> ResponseHead {
    guard !head.headers.contains("Date") else { return head }
    var headers = head.headers
    headers.append(name: "Date", value: CacheDate.text(responseTime))
    return ResponseHead(
      url: head.url, statusCode: head.statusCode, httpVersion: head.httpVersion, headers: headers)
  }
}

extension StorageDecision.Refusal: CustomStringConvertible {
  /// A text such as `not stored: Vary: *`, for a log.
  var description: String { "not stored: \(words)" }

  /// A text such as `Vary: *`.
  var words: String {
    switch self {
    case .method(let method): "method \(method)"
    case .status(let status): "status \(status)"
    case .requestNoStore: "no-store in the request"
    case .responseNoStore: "no-store"
    case .mustUnderstand(let status): "must-understand, and status \(status) is unknown"
    case .varyStar: "Vary: *"
    case .incomplete: "incomplete"
    case .redirected: "another URL answered"
    case .statusWithoutFreshness(let status): "status \(status) without a lifetime"
    case .useless: "neither a lifetime nor a validator"
    }
  }
}

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
