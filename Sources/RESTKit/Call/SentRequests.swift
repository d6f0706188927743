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
    if fate.mayHaveArrived, !earlierMethods.contains(fate.method) {
      earlierMethods.append(fate.method)
    }
  }

  /// Returns the method of the first request that may not simply be sent again; nil if all may.
  ///
  /// - Parameter methods: The methods that may always be sent again.
  func unsafeMethod(besides methods: Set<HTTPMethod>) -> HTTPMethod? {
    let isUnsafe = { (fate: SentRequest.Fate) in
      fate.mayHaveArrived && !methods.contains(fate.method)
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

    init(of method: HTTPMethod) {
      self.method = method
    }

    var mayHaveArrived: Bool { !neverArrived.load(ordering: .relaxed) }

    func noteNeverArrived() { neverArrived.store(true, ordering: .relaxed) }
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

  var origin: Origin? { request.url.map(Origin.init) }

  var idempotencyKey: String? { request.value(forHTTPHeaderField: "Idempotency-Key") }
}
