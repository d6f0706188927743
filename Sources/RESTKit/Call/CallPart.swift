import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A call, and the innermost part of its pipeline that may be sent more than once.
struct CallPart: Sendable {
  enum Key: SubscriptionContextKey {
    static var defaultValue: CallPart? { nil }
  }

  let call: LogicalCall
  private let repeated: RepeatedPart?

  /// - Parameter repeated: The part of it that is sent again as a whole, if any is.
  init(of call: LogicalCall, repeated: RepeatedPart? = nil) {
    self.call = call
    self.repeated = repeated
  }

  var journal: CallJournal { call.journal }

  /// Makes a part of the call that a context has, for what may send it again.
  ///
  /// - Parameter keyMaker: What makes keys for its requests, if anything.
  static func part(
    of call: LogicalCall, in context: SubscriptionContext, keyMaker: IdempotencyKeyMaker? = nil
  ) -> (part: RepeatedPart, context: SubscriptionContext) {
    let outer = context[Key.self]?.repeated
    let part = RepeatedPart(of: outer, keyMaker: keyMaker)
    return (part, context.setting(Key.self, to: CallPart(of: call, repeated: part)))
  }

  /// Counts and records a request that is about to be sent.
  ///
  /// - Parameter isRedirected: Whether a redirect led to it, which is no attempt of its own.
  func beginExchange(_ request: SentRequest, isRedirected: Bool) {
    repeated?.note(request)
    call.beginExchange(request, isRedirected: isRedirected)
  }

  /// Sees to it that a request that goes out once more has the key that it had, and one that a retry
  /// policy makes a key for has that.
  func prepare(_ request: inout URLRequest) {
    call.prepare(&request, within: repeated)
  }
}

extension SubscriptionContext {
  /// The call that a subscription belongs to; nil where nobody downstream has made one.
  var call: LogicalCall? { self[CallPart.Key.self]?.call }
}
