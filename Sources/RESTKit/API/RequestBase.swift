import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What an API says about each of its requests: where it goes, its header fields, its time limit,
/// the encoder of its body.
struct RequestBase: Sendable {
  let url: String
  private let headers: HTTPHeaders
  private let timeout: Duration?
  let encoder: JSONEncoder?

  private init(url: String, headers: HTTPHeaders, timeout: Duration?, encoder: JSONEncoder?) {
    self.url = url
    self.headers = headers
    self.timeout = timeout
    self.encoder = encoder
  }

  init(_ api: some RESTAPI) {
    self.init(
      url: api.baseURL, headers: api.headers, timeout: api.timeout, encoder: api.encoder)
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
  func withoutSecrets(_ declared: [String]) -> RequestBase {
    let names = DeclaredSecrets.declared(declared)?.list ?? .standard
    let shown = headers.filter { !names.contains(field: $0.name) }
    return RequestBase(
      url: url, headers: HTTPHeaders(shown), timeout: timeout, encoder: encoder)
  }
}

extension URLRequest {
  /// Limits the time of the exchange; nil keeps the limit.
  mutating func limitTime(to timeout: Duration?) {
    guard let timeout else { return }
    timeoutInterval = timeout.timeInterval
  }
}
