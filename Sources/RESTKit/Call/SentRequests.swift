import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A summary of the requests that a scope of a call has sent, including redirects and repetitions.
///
/// Its size does not grow with the requests: a pipeline may follow pages for days.
struct SentRequests: Sendable {
  /// The first request.
  ///
  /// A budget counts its host.
  private(set) var first: SentRequest?
  /// The last request.
  private(set) var last: SentRequest?
  /// Whether all bodies before the last can be sent a second time.
  private var earlierAreReplayable = true
  /// The latest requests before the last that had no key.
  ///
  /// Their outcome may be unknown.
  private var recent: [SentRequest.Fate] = []
  /// The methods of the requests before them, each once, in order.
  private var earlierMethods: [HTTPMethod] = []

  init() {}

  init(_ requests: [SentRequest]) {
    for request in requests { add(request) }
  }

  var isEmpty: Bool { last == nil }

  var areReplayable: Bool { earlierAreReplayable && last?.isReplayable != false }

  /// - Returns: An entry that is no longer needed, to be released without a lock.
  @discardableResult
  mutating func add(_ request: SentRequest) -> SentRequest? {
    let old = last
    if let old {
      earlierAreReplayable = earlierAreReplayable && old.isReplayable
      if old.idempotencyKey == nil { recent.append(old.fate) }
      if recent.count > 16 { mergeFirst() }
    } else {
      first = request
    }
    last = request
    return old
  }

  private mutating func mergeFirst() {
    let fate = recent.removeFirst()
    if fate.mayHaveRun, !earlierMethods.contains(fate.method) {
      earlierMethods.append(fate.method)
    }
  }

  /// Returns the method of the first request that may not simply be sent again; nil if all may.
  ///
  /// - Parameters:
  ///   - methods: The methods that may always be sent again.
  ///   - throttledMethods: The methods that may be sent again after a 429.
  func unsafeMethod(
    besides methods: Set<HTTPMethod>, throttled throttledMethods: Set<HTTPMethod> = []
  ) -> HTTPMethod? {
    let isUnsafe = { (fate: SentRequest.Fate) in
      fate.mayHaveRun && !methods.contains(fate.method)
        && !(fate.wasThrottled && throttledMethods.contains(fate.method))
    }
    if let method = earlierMethods.first(where: { !methods.contains($0) }) { return method }
    if let fate = recent.first(where: isUnsafe) { return fate.method }
    guard let last, isUnsafe(last.fate), last.idempotencyKey == nil else { return nil }
    return last.method
  }
}

/// A request that was sent, with the facts that decide whether it may be sent again.
///
/// Unlike its ``RequestSummary``, it has header fields, and so is never part of a text.
struct SentRequest: Sendable {
  // The whole request, because most calls never ask for a field: a look-up costs more than keeping
  // them all.
  private let request: URLRequest
  /// Whether the body can be sent a second time.
  let isReplayable: Bool
  /// Whether the response arrives in pieces.
  let isInPieces: Bool
  fileprivate let fate: Fate

  /// The outcome of a request.
  fileprivate final class Fate: Sendable {
    let method: HTTPMethod
    private let neverArrived = Atomic<Bool>(false)
    /// The status of the response if it is a refusal; else 0.
    private let refusal = Atomic<Int>(0)

    init(of method: HTTPMethod) {
      self.method = method
    }

    /// Whether the server may have carried out the request.
    ///
    /// A 401 says that it has not (RFC 9110 §15.5.2).
    var mayHaveRun: Bool {
      !neverArrived.load(ordering: .relaxed) && refusal.load(ordering: .relaxed) != 401
    }

    var wasThrottled: Bool { refusal.load(ordering: .relaxed) == 429 }

    func noteNeverArrived() { neverArrived.store(true, ordering: .relaxed) }

    func noteRefusal(_ status: Int) { refusal.store(status, ordering: .relaxed) }
  }

  init(_ request: URLRequest, body: RequestBody?, isInPieces: Bool = false) {
    self.request = request
    self.isInPieces = isInPieces
    fate = Fate(of: request.method)
    isReplayable = body?.isReplayable ?? true
  }

  var method: HTTPMethod { fate.method }

  /// Records that the request certainly did not reach the server.
  func noteNeverArrived() { fate.noteNeverArrived() }

  /// Records that the response refused the request: a 401 or a 429.
  func noteRefusal(_ status: Int) { fate.noteRefusal(status) }

  var origin: Origin? { request.url.map(Origin.init) }

  var idempotencyKey: String? { request.value(forHTTPHeaderField: "Idempotency-Key") }
}
