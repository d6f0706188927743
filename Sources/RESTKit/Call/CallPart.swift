import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a request belongs to: a call, and the innermost part of its pipeline that may be sent more than
/// once.
struct CallPart: Sendable {
  enum Key: SubscriptionContextKey {
    static var defaultValue: CallPart? { nil }
  }

  let call: LogicalCall
  /// That of the part; nil where nothing is sent again.
  let ledger: PartLedger?

  init(of call: LogicalCall, ledger: PartLedger? = nil) {
    self.call = call
    self.ledger = ledger
  }

  var journal: CallJournal { call.journal }

  /// Whether what was sent last had this `Authorization`: not a user's own, and not left behind by a
  /// redirect.
  func lastCarried(authorization: String) -> Bool {
    ledger?.sentRequests.last?.authorization == authorization
  }

  /// Counts and records a request that is about to be sent.
  ///
  /// - Parameters:
  ///   - request: What the ledgers are to know of it; nil where there are none.
  ///   - isRedirected: Whether a redirect led to it, which is no attempt of its own.
  ///   - isJoined: Whether another call's exchange answers it.
  @discardableResult
  func beginExchange(
    _ request: SentRequest?, isRedirected: Bool, isJoined: Bool = false
  ) -> CallBudget.Sending {
    let repetition = request.flatMap { ledger?.note($0, isRedirected: isRedirected) }
    return call.beginExchange(
      isRedirected: isRedirected, isJoined: isJoined, repetition: repetition)
  }

  /// Sees to it that a request that goes out once more has the key that it had, and one that a retry
  /// policy makes a key for has that.
  func prepare(_ request: inout URLRequest) {
    defer { journal.recordBuilt(request) }
    // Whoever sends these twice asks twice.
    guard let ledger, let method = request.httpMethod, method != "GET", method != "HEAD" else {
      return
    }
    let summary = RequestSummary(request)
    let own = request.value(forHTTPHeaderField: IdempotencyKeys.field)
    var (place, key) = call.take(summary, key: own, in: ledger.part)
    if key == nil, let made = ledger.keyMaker(for: summary.method)?() {
      key = made
      call.note(made, at: place)
    }
    if let key, key != own { request.replaceHeader(IdempotencyKeys.field, with: key) }
  }
}

/// In the context of a verb: whether somebody downstream retries, who then is the only one.
enum IsRetried: SubscriptionContextKey {
  static var defaultValue: Bool { false }
}

extension SubscriptionContext {
  /// The call that a subscription belongs to; nil where nobody downstream has made one.
  var call: LogicalCall? { self[CallPart.Key.self]?.call }

  /// Begins a part of a call, within that of this context.
  ///
  /// - Parameter keyMaker: What makes keys for its requests that have none, if anything.
  /// - Returns: The ledger of the part, and what everything upstream is given.
  func beginningPart(
    of call: LogicalCall, keyMaker: IdempotencyKeyMaker? = nil
  ) -> (ledger: PartLedger, context: SubscriptionContext) {
    let ledger = PartLedger(within: self[CallPart.Key.self]?.ledger, keyMaker: keyMaker)
    return (ledger, setting(CallPart.Key.self, to: CallPart(of: call, ledger: ledger)))
  }

  /// Gives a part of a pipeline that has one deadline a refresh of its own, whatever the parts before it
  /// had; a part within one that may be sent again has that one's.
  func renewRefresh(ofPartOf call: LogicalCall) {
    guard call.hasParts, self[CallPart.Key.self]?.ledger == nil else { return }
    call.renewRefresh()
  }
}
