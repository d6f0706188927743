import Foundation
import Synchronization

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
  /// Those shortly before the last that had no key; what became of them may not be known yet.
  private var recent: [SentRequest.Fate] = []
  /// The methods of those before them, each once, in order.
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
      if old.idempotencyKey == nil { recent.append(old.fate) }
      if recent.count > 16 { settleFirst() }
    } else {
      first = request
    }
    last = request
    return old
  }

  private mutating func settleFirst() {
    let fate = recent.removeFirst()
    if fate.mayHaveArrived, !earlierMethods.contains(fate.method) {
      earlierMethods.append(fate.method)
    }
  }

  /// The method of the first that may not be sent again by itself; nil where all may.
  ///
  /// - Parameter methods: Those that may be sent again whatever became of the request.
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

/// A request that was sent, with what decides whether it may be sent again: unlike its
/// ``RequestSummary`` it has its headers, and so never goes into a text.
struct SentRequest: Sendable {
  // Whole, since most calls are never asked about it: to look a header up costs more than to keep
  // all of them.
  private let request: URLRequest
  /// Whether the body can be sent a second time.
  let isReplayable: Bool
  fileprivate let fate: Fate

  /// What became of a request.
  fileprivate final class Fate: Sendable {
    let method: HTTPMethod
    private let neverArrived = Atomic<Bool>(false)

    init(of method: HTTPMethod) {
      self.method = method
    }

    var mayHaveArrived: Bool { !neverArrived.load(ordering: .relaxed) }

    func noteNeverArrived() { neverArrived.store(true, ordering: .relaxed) }
  }

  init(_ request: URLRequest, body: RequestBody?) {
    self.request = request
    fate = Fate(of: request.method)
    isReplayable = body?.isReplayable ?? true
  }

  var method: HTTPMethod { fate.method }

  /// Notes that it is known not to have reached the server.
  func noteNeverArrived() { fate.noteNeverArrived() }

  var origin: Origin? { request.url.map(Origin.init) }

  var idempotencyKey: String? { request.value(forHTTPHeaderField: "Idempotency-Key") }

  /// The value of its `Authorization`; never part of a text.
  var authorization: String? { request.value(forHTTPHeaderField: "Authorization") }
}
