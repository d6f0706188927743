import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a rule has to know of a request that was sent to say whether it may be sent again.
struct SentRequest: Sendable {
  let method: HTTPMethod
  let origin: Origin?
  /// Whether the body can be sent a second time.
  let isReplayable: Bool
  let idempotencyKey: String?
  /// The value of its `Authorization`; never part of a text.
  let authorization: String?

  init(_ request: URLRequest, body: RequestBody?) {
    method = HTTPMethod(request.httpMethod ?? "GET")
    origin = request.url.map(Origin.init)
    isReplayable = body?.isReplayable ?? true
    idempotencyKey = request.value(forHTTPHeaderField: "Idempotency-Key")
    authorization = request.value(forHTTPHeaderField: "Authorization")
  }
}
