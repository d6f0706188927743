import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a rule has to know of all that a part of a call has sent, redirects and repetitions included.
///
/// It does not grow with what is sent: a pipeline may follow pages for days.
struct SentRequests: Sendable {
  /// Where the first one went: the host that a budget counts.
  private(set) var first: SentRequest?
  /// What was sent last.
  private(set) var last: SentRequest?
  /// Whether all bodies before the last can be sent a second time.
  private var earlierAreReplayable = true
  /// The methods of those before the last that had no key, each once, in order.
  private var earlierMethods: [HTTPMethod] = []

  init() {}

  init(_ requests: [SentRequest]) {
    for request in requests { add(request) }
  }

  var isEmpty: Bool { last == nil }

  var areReplayable: Bool { earlierAreReplayable && last?.isReplayable != false }

  /// - Returns: What is not needed any more, to be released without a lock.
  @discardableResult
  mutating func add(_ request: SentRequest) -> SentRequest? {
    let old = last
    if let old {
      earlierAreReplayable = earlierAreReplayable && old.isReplayable
      if old.idempotencyKey == nil, !earlierMethods.contains(old.method) {
        earlierMethods.append(old.method)
      }
    } else {
      first = request
    }
    last = request
    return old
  }

  /// The method of the first that may not be sent again by itself; nil where all may.
  ///
  /// - Parameters:
  ///   - methods: Those that may be sent again whatever became of the request.
  ///   - lastNeverArrived: Whether the last one is known not to have reached the server.
  func unsafeMethod(besides methods: Set<HTTPMethod>, lastNeverArrived: Bool) -> HTTPMethod? {
    if let method = earlierMethods.first(where: { !methods.contains($0) }) { return method }
    guard !lastNeverArrived, let last, last.idempotencyKey == nil, !methods.contains(last.method)
    else { return nil }
    return last.method
  }
}

/// A request that was sent, with what decides whether it may be sent again: unlike its
/// ``RequestSummary`` it has its headers, and so never goes into a text.
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
