import Foundation
import HTTPWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One attempt of a request, as an engine sends it.
struct EngineRequest: Sendable {
  /// An absolute http or https URL, percent-encoded.
  ///
  /// A fragment is not sent.
  var url: String
  /// The method as it is sent.
  var method = "GET"
  /// The header lines in order, with duplicates.
  ///
  /// The engine adds `User-Agent` and `Accept` if they are missing.
  var headers: HTTPHeaders = [:]
  /// The body, or nil.
  ///
  /// An empty body is the same as none.
  var body: Data?
  /// A body that is read while it is sent, in place of `body`.
  var upload: RequestBody?
  /// The buffer for the response in pieces, or nil to collect the response within the limits.
  var events: EventBuffer?
  /// The time limit of the whole attempt, from the call of `start` to the last byte of the body, or
  /// nil for no limit.
  ///
  /// It is exact to the millisecond.
  var timeout: Duration?
  /// The longest time without activity of the server, or nil for no limit: until the head, then
  /// between two pieces, and while the server accepts no more of the body.
  ///
  /// Time in which the client has paused the transfer does not count.
  var idleTimeout: Duration?
  /// Whether it does not wait for a connection behind other requests to its host.
  ///
  /// Foundation has no such order.
  var isUrgent = false
  /// The last look at the request, if it waits in a line of the engine; nil if nobody wants one.
  var lastLook: (look: LastLook, request: URLRequest)?

  /// The `User-Agent` of requests that set none.
  static let userAgent = "RESTKit/0.1"

  /// Whether the request goes to the head of a line.
  var goesFirst: Bool { lastLook?.look.goesFirst == true }

  /// Takes the last look at the request, whose connection is free.
  ///
  /// - Returns: Whether the request may be sent now.
  mutating func takeLastLook() -> Bool {
    switch lastLook.map({ $0.look.verdict(on: $0.request) }) {
    case .authorization(let value): headers.set(name: "Authorization", value: value)
    case .heldBack: return false
    case .unchanged, nil: break
    }
    return true
  }

  /// The time limit for getting a connection.
  var waitLimit: Duration? { timeout ?? idleTimeout }

  /// Whether the engine may silently repeat the request when a kept-alive connection turns out to
  /// be dead.
  ///
  /// This is true for the idempotent methods (RFC 9110 §9.2.2), unless the body can be sent only
  /// once.
  var isRepeatable: Bool {
    RequestValidation.isIdempotent(method) && upload?.isReplayable != false
  }

  /// Refuses a request that no engine may send.
  func validate() throws(TransportError) {
    try RequestValidation.check(url: url)
    try RequestValidation.check(method: method, headers: headers)
    // A body of unknown length may have bytes.
    let hasBody = upload.map { $0.expectedLength != 0 } ?? (body?.isEmpty == false)
    if hasBody, method == "HEAD" || method == "TRACE" {
      throw .beforeSending(
        .invalidRequest, "a \(method) request cannot have a body; leave it out")
    }
  }
}

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

  /// - Returns: The time limit, or nil for no limit. A limit that rounds to zero is one
  ///   millisecond.
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

extension URLRequest {
  /// Validates the request before any byte is sent, for transports of your own.
  ///
  /// `URLRequest` allows parts that cannot be sent or that change the message on the wire. These
  /// are a method or a header's name that is not a token, a value with a line break, and a header
  /// field that only the transport may set because it frames the message (`Host`, `Content-Length`,
  /// `Transfer-Encoding`, `Connection`). They are also a header field in two spellings, and a URL
  /// without a host or with user info.
  ///
  /// - Parameter body: The body that is sent besides the request, as in
  ///   ``Transport/events(for:body:)``.
  /// - Throws: A fault of kind `unsupportedURL` or `invalidRequest` that names the part, but never
  ///   a header's value.
  public func validateForSending(body: RequestBody? = nil) throws(TransportError) {
    try EngineRequest(self, url: target(), body: body).validate()
  }
}
