import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A closure that changes a request just before it is sent: it adds a token, a header field or a
/// timeout.
///
/// It runs once for each attempt, on the subscribing thread, so that a retried request carries
/// current values.
public typealias RequestModifier = @Sendable (URLRequest) -> URLRequest

extension URLRequest {
  /// Returns this request with a header field, which replaces all fields of that name in any
  /// spelling.
  ///
  /// A name that is not a token, and a value with a line break or another control character, are
  /// not silently dropped: the request is refused before it is sent.
  public func settingHeader(_ name: String, to value: String) -> URLRequest {
    setting(value.replacingSilentlyDroppedCharacters, for: name)
  }

  /// Returns this request with a bearer token (RFC 6750 §2.1), which replaces any other
  /// authorization.
  ///
  /// White space around the token is removed, such as the line break at the end of a file. A token
  /// with a control character inside is not silently dropped: the request is refused before it is
  /// sent.
  public func addingBearerAuthorization(token: String) -> URLRequest {
    setting(String(bearer: token), for: "Authorization")
  }

  /// Returns this request with an `Accept` field that asks for JSON.
  public func acceptingJSON() -> URLRequest {
    setting("application/json", for: "Accept")
  }

  /// Returns this request with a `Content-Type` field that declares a JSON body.
  public func sendingJSON() -> URLRequest {
    setting("application/json", for: "Content-Type")
  }

  /// Returns this request with a name and a password (RFC 7617), which replace any other
  /// authorization.
  package func addingBasicAuthorization(name: String, password: String) -> URLRequest {
    setting("Basic \(Data("\(name):\(password)".utf8).base64EncodedString())", for: "Authorization")
  }

  private func setting(_ value: String, for name: String) -> URLRequest {
    var request = self
    if !request.setIfAbsent(value, for: name) { request.replaceHeader(name, with: value) }
    return request
  }
}

extension String {
  /// Makes the value of `Authorization` for a bearer token.
  package init(bearer token: String) {
    // Nearly every token is plain, and checking the bytes is faster than trimming.
    if token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
      self = "Bearer " + token
      return
    }
    let token = token.trimmingCharacters(in: .whitespacesAndNewlines)
    self = "Bearer \(token.replacingSilentlyDroppedCharacters)"
  }

  /// The text with DEL in place of the characters for which `URLRequest` silently drops a header
  /// field.
  ///
  /// `URLRequest` keeps DEL, and the checks before sending refuse it.
  fileprivate var replacingSilentlyDroppedCharacters: String {
    var text = ""
    for scalar in unicodeScalars {
      let isDropped = scalar == "\r" || scalar == "\n" || scalar == "\0"
      text.unicodeScalars.append(isDropped ? "\u{7F}" : scalar)
    }
    return text
  }
}

extension URLRequest {
  /// Sets each header field unless the request has one of that name.
  package mutating func setIfAbsent(_ fields: [String: String]) {
    if allHTTPHeaderFields?.isEmpty ?? true {
      allHTTPHeaderFields = fields
    } else {
      for (name, value) in fields { setIfAbsent(value, for: name) }
    }
  }

  /// Whether a field is set, in any spelling of its name.
  package func hasField(_ name: String) -> Bool {
    // Foundation's own look-up makes a text of every name.
    guard let fields = allHTTPHeaderFields, !fields.isEmpty else { return false }
    return fields.keys.contains { HTTPHeaders.isSameName($0, name) }
  }

  /// Replaces the fields that have one of the names.
  ///
  /// A name that occurs more than once keeps each of its values, in one line.
  ///
  /// - Throws: `.invalidRequest` for a field that is no list (RFC 9110 §5.3) and occurs more than
  ///   once: which value is meant is unknown, and joined they are neither.
  package mutating func replaceHeaders(with fields: HTTPHeaders) throws(TransportError) {
    try RequestValidation.check(singletonsOf: fields)
    var replaced = HTTPHeaders()
    for (name, _) in fields where !replaced.contains(name) {
      replaced.append(name: name, value: "")
      // Cookies are joined according to RFC 6265 §4.2.1; a comma would be part of the first one's
      // value.
      let separator = HTTPHeaders.isSameName(name, "Cookie") ? "; " : ","
      replaceHeader(name, with: fields.values(for: name).joined(separator: separator))
    }
  }

  /// Sets or removes a header field, in place of all fields of that name in any spelling.
  ///
  /// `allHTTPHeaderFields` can hold a name in several spellings. Foundation on Linux then finds,
  /// sets and removes only the one that comes first in hash order.
  package mutating func replaceHeader(_ name: String, with value: String?) {
    for field in (allHTTPHeaderFields ?? [:]).keys where HTTPHeaders.isSameName(field, name) {
      // Runs once for each spelling, and removes another one each time.
      setValue(nil, forHTTPHeaderField: field)
    }
    if let value { setIfAbsent(value, for: name) }
  }

  /// Sets a header field unless the request has one of that name.
  ///
  /// Foundation takes microseconds to find a field and as many to set it. This method reads all
  /// fields once and sets them once.
  ///
  /// - Returns: Whether the field was set.
  @discardableResult
  package mutating func setIfAbsent(_ value: String, for name: String) -> Bool {
    var fields = allHTTPHeaderFields ?? [:]
    guard !fields.keys.contains(where: { HTTPHeaders.isSameName($0, name) }) else { return false }
    fields[name] = value
    allHTTPHeaderFields = fields
    return true
  }
}
