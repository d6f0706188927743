import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The call that a request belongs to, with the innermost part of its pipeline that may be sent more
/// than once.
struct CallPart: Sendable {
  enum Key: SubscriptionContextKey {
    static var defaultValue: CallPart? { nil }
  }

  let call: LogicalCall
  /// The ledger of the part; nil if nothing is sent again.
  let ledger: PartLedger?

  init(of call: LogicalCall, ledger: PartLedger? = nil) {
    self.call = call
    self.ledger = ledger
  }

  var journal: CallJournal { call.journal }

  /// Counts and records a request that is about to be sent.
  ///
  /// - Parameters:
  ///   - request: The entry for the ledgers; nil if there are none.
  ///   - isRedirected: Whether the request follows a redirect, and so is not an attempt of its own.
  ///   - isJoined: Whether another call's exchange answers the request.
  @discardableResult
  func beginExchange(
    _ request: SentRequest?, isRedirected: Bool, isJoined: Bool = false
  ) -> CallBudget.Sending {
    let repetition = request.flatMap { ledger?.note($0, isRedirected: isRedirected) }
    return call.beginExchange(
      isRedirected: isRedirected, isJoined: isJoined, repetition: repetition)
  }

  /// Gives a repeated request its former key, and a new request a key if a retry policy makes one.
  func prepare(_ request: inout URLRequest) {
    defer { journal.recordBuilt(request) }
    // A GET or HEAD needs no key, because sending it twice is safe.
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

extension SubscriptionContext {
  /// The call of a subscription; nil if there is none downstream.
  var call: LogicalCall? { self[CallPart.Key.self]?.call }

  /// Begins a part of a call, within the part of this context.
  ///
  /// - Parameter keyMaker: The maker of keys for requests without one, if there is one.
  /// - Returns: The ledger of the part, and the context for everything upstream.
  func beginningPart(
    of call: LogicalCall, keyMaker: IdempotencyKeyMaker? = nil
  ) -> (ledger: PartLedger, context: SubscriptionContext) {
    let ledger = PartLedger(within: self[CallPart.Key.self]?.ledger, keyMaker: keyMaker)
    return (ledger, setting(CallPart.Key.self, to: CallPart(of: call, ledger: ledger)))
  }
}
