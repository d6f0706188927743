import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension EngineRequest {
  /// Makes the engine's request of a `URLRequest`.
  ///
  /// - Parameter body: A body that is sent in place of the request's own body.
  init(_ request: URLRequest, url: URL, body: RequestBody? = nil) throws(TransportError) {
    guard request.httpBodyStream == nil else {
      throw .beforeSending(
        .invalidRequest, "its body is a stream, which cannot be sent again; set httpBody")
    }
    guard body == nil || request.httpBody?.isEmpty != false else {
      throw .beforeSending(.invalidRequest, "it has two bodies; leave httpBody out")
    }
    let headers = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
    try RequestValidation.check(spellingsOf: headers.map(\.key))
    self.init(
      url: url.absoluteString, method: request.method.rawValue,
      headers: HTTPHeaders(headers.map { ($0.key, $0.value) }),
      body: body == nil ? request.httpBody : nil, upload: body, timeout: request.timeLimit)
  }

  /// - Returns: The time limit, or nil for no limit. A limit that rounds to zero is one millisecond.
  static func timeout(seconds: TimeInterval) -> Duration? {
    // More than a thousand years means no limit.
    guard seconds.isFinite, seconds > 0, seconds < 3.2e10 else { return nil }
    return max(.milliseconds(Int64((seconds * 1_000).rounded())), .milliseconds(1))
  }
}

extension URLRequest {
  /// The time limit of the whole attempt, or nil for no limit.
  package var timeLimit: Duration? { EngineRequest.timeout(seconds: timeoutInterval) }

  /// Returns the URL of the request.
  func target() throws(TransportError) -> URL {
    guard let url else { throw .beforeSending(.unsupportedURL, "the request has no URL") }
    return url
  }
}
