import Foundation

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
  /// A handler for the response in pieces, or nil to collect the response within the limits.
  var onEvent: EngineEventHandler?
  /// The time limit of the whole attempt, from the call of `start` to the last byte of the body, or nil for
  /// no limit.
  ///
  /// It is exact to the millisecond.
  var timeout: Duration?
  /// The longest time without activity of the server, or nil for no limit: until the head, then between two
  /// pieces, and while the server accepts no more of the body.
  ///
  /// Time in which the client has paused the transfer does not count.
  var idleTimeout: Duration?

  /// The `User-Agent` of requests that set none.
  static let userAgent = "RESTKit/0.1"

  /// The time limit for getting a connection.
  var waitLimit: Duration? { timeout ?? idleTimeout }

  /// Whether the engine may silently repeat the request when a kept-alive connection turns out to be dead.
  ///
  /// This is true for the idempotent methods (RFC 9110 §9.2.2).
  var isRepeatable: Bool { RequestValidation.isIdempotent(method) }

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
