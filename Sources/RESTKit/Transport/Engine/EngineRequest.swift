import Foundation

/// One attempt of a request, as an engine sends it.
struct EngineRequest: Sendable {
  /// An absolute http or https URL, percent-encoded; a fragment is not sent.
  var url: String
  /// The method's name as it goes on the wire.
  var method = "GET"
  /// The header lines, in order, duplicates kept.
  ///
  /// `User-Agent` and `Accept` are added if missing.
  var headers: HTTPHeaders = [:]
  /// The body, or nil.
  ///
  /// An empty body is the same as none.
  var body: Data?
  /// A body that is read while it is sent, in place of `body`.
  var upload: RequestBody?
  /// Takes the response in pieces; nil to have it collected, within the limits.
  var onEvent: EngineEventHandler?
  /// The time for the whole attempt, from the call of `start` to the last byte of the body; nil for
  /// no limit.
  ///
  /// Exact to the millisecond.
  var timeout: Duration?
  /// The time that the server may be silent for: till its head, then between two pieces, and while it
  /// takes no more of the body; nil for no limit.
  ///
  /// What is paused on our side does not count.
  var idleTimeout: Duration?

  /// The `User-Agent` of requests that set none.
  static let userAgent = "RESTKit/0.1"

  /// The time until which a call that waits for a connection has to have one.
  var waitLimit: Duration? { timeout ?? idleTimeout }

  /// Whether the engine may silently send the request again when a kept-alive connection turns out
  /// dead: so it is with the idempotent methods (RFC 9110 §9.2.2).
  var isRepeatable: Bool { RequestValidation.isIdempotent(method) }

  /// Refuses what no engine may send.
  func validate() throws(TransportError) {
    try RequestValidation.check(url: url)
    try RequestValidation.check(method: method, headers: headers)
    // What does not tell its length may have bytes.
    let hasBody = upload.map { $0.expectedLength != 0 } ?? (body?.isEmpty == false)
    if hasBody, method == "HEAD" || method == "TRACE" {
      throw .beforeSending(
        .invalidRequest, "a \(method) request cannot have a body; leave it out")
    }
  }
}
