import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a request belongs to: a call, the innermost part of its pipeline that may be sent more than
/// once, and the retry that counts.
struct CallPart: Sendable {
  enum Key: SubscriptionContextKey {
    static var defaultValue: CallPart? { nil }
  }

  let call: LogicalCall
  private var repeated: RepeatedPart?
  private var ledger: RetryLedger?

  init(of call: LogicalCall) {
    self.call = call
  }

  var journal: CallJournal { call.journal }

  /// Makes a part of a call within that of a context, for what may send it again.
  ///
  /// - Parameter ledger: That of a retry, if it is one.
  /// - Returns: The part, and what everything upstream is given.
  static func begin(
    of call: LogicalCall, in context: SubscriptionContext, ledger: RetryLedger? = nil
  ) -> (part: RepeatedPart, context: SubscriptionContext) {
    var place = context[Key.self] ?? CallPart(of: call)
    let part = RepeatedPart(of: place.repeated)
    place.repeated = part
    if let ledger { place.ledger = ledger }
    return (part, context.setting(Key.self, to: place))
  }

  /// Counts and records a request that is about to be sent.
  ///
  /// - Parameter isRedirected: Whether a redirect led to it, which is no attempt of its own.
  func beginExchange(_ request: SentRequest, isRedirected: Bool) {
    ledger?.note(request)
    call.beginExchange(request, isRedirected: isRedirected)
  }

  /// Sees to it that a request that goes out once more has the key that it had, and one that a retry
  /// policy makes a key for has that.
  func prepare(_ request: inout URLRequest) {
    defer { journal.recordBuilt(request) }
    // Whoever sends these twice asks twice.
    guard let repeated, let method = request.httpMethod, method != "GET", method != "HEAD" else {
      return
    }
    let summary = RequestSummary(request)
    let own = request.value(forHTTPHeaderField: IdempotencyKeys.field)
    let key =
      call.idempotencyKey(of: summary, in: repeated) ?? own
      ?? ledger?.keyMaker(for: summary.method)?()
    if let key, key != own { request.replaceHeader(IdempotencyKeys.field, with: key) }
    call.note(key, of: summary, in: repeated)
  }
}

extension SubscriptionContext {
  /// The call that a subscription belongs to; nil where nobody downstream has made one.
  var call: LogicalCall? { self[CallPart.Key.self]?.call }
}
