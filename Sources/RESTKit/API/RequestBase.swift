import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What an API says about each of its requests: where it goes, its header fields, its time limit,
/// the encoder of its body.
struct RequestBase: Sendable {
  let url: String
  private var headers: HTTPHeaders
  private let timeout: Duration?
  let encoder: JSONEncoder?

  private let secretHeaders: [String]

  init(_ api: some RESTAPI) {
    url = api.baseURL
    headers = api.headers
    timeout = api.timeout
    encoder = api.encoder
    secretHeaders = api.secretHeaders
  }

  /// Puts the API's fields and time limit on a new request.
  ///
  /// - Throws: `RESTError` about a field that has one value and is given twice.
  func begin(_ request: inout URLRequest) throws(RESTError) {
    if !headers.isEmpty { try request.set(headers) }
    request.limitTime(to: timeout)
  }

  /// Whether a URL is of the API's own origin.
  ///
  /// A base URL that cannot be read has no origin.
  func isOrigin(of target: URL) -> Bool {
    guard let base = try? BaseURL(url).url(endpoint: "", query: []) else { return false }
    return Origin(base) == Origin(target)
  }

  /// Returns the base without the fields that only the API's own origin may see.
  func withoutSecrets() -> RequestBase {
    let names = secretNames
    var copy = self
    copy.headers = HTTPHeaders(headers.filter { !names.contains(field: $0.name) })
    return copy
  }

  /// Removes the fields that only the API's own origin may see from a request that a modifier sends
  /// elsewhere; nil if the API has no fields.
  ///
  /// A field with another value is the modifier's own.
  var keepSecrets: (@Sendable (inout URLRequest) -> Void)? {
    guard !headers.isEmpty else { return nil }
    return { request in
      guard let target = request.url, !Origin.goesOn(target.absoluteString, after: url),
        !isOrigin(of: target)
      else { return }
      let names = secretNames
      for (name, value) in headers where names.contains(field: name) {
        guard request.value(forHTTPHeaderField: name) == value else { continue }
        request.setValue(nil, forHTTPHeaderField: name)
      }
    }
  }

  private var secretNames: SecretNames {
    DeclaredSecrets.declared(secretHeaders)?.list ?? .standard
  }
}

extension URLRequest {
  /// Limits the time of the exchange; nil keeps the limit.
  mutating func limitTime(to timeout: Duration?) {
    guard let timeout else { return }
    timeoutInterval = timeout.inSeconds
  }
}
