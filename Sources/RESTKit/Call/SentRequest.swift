import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a rule has to know of a request that was sent to say whether it may be sent again.
struct SentRequest: Sendable {
  // Whole, since most calls are never asked about it: to look a header up costs more than to keep
  // all of them.
  private let request: URLRequest
  /// Whether the body can be sent a second time.
  let isReplayable: Bool

  init(_ request: URLRequest, body: RequestBody?) {
    self.request = request
    isReplayable = body?.isReplayable ?? true
  }

  var method: HTTPMethod { request.method }

  var origin: Origin? { request.url.map(Origin.init) }

  var idempotencyKey: String? { request.value(forHTTPHeaderField: "Idempotency-Key") }

  /// The value of its `Authorization`; never part of a text.
  var authorization: String? { request.value(forHTTPHeaderField: "Authorization") }
}
