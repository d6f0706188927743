import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The call that a request belongs to, with its innermost scope.
struct CallPart: Sendable {
  enum Key: SubscriptionContextKey {
    static var defaultValue: CallPart? { nil }
  }

  let call: LogicalCall
  /// The scope; nil if nothing is sent again.
  let scope: CallScope?

  init(of call: LogicalCall, scope: CallScope? = nil) {
    self.call = call
    self.scope = scope
  }

  var journal: CallJournal { call.journal }

  /// Counts and records a request that is about to be sent.
  ///
  /// - Parameters:
  ///   - request: The entry for the scopes; nil if there are none.
  ///   - isRedirected: Whether the request follows a redirect, and so is not an attempt of its own.
  ///   - isJoined: Whether another call's exchange answers the request.
  @discardableResult
  func beginExchange(
    _ request: SentRequest?, isRedirected: Bool, isJoined: Bool = false
  ) -> LogicalCall.Sending {
    let repetition = request.flatMap { scope?.note($0, isRedirected: isRedirected) }
    return call.beginExchange(
      isRedirected: isRedirected, isJoined: isJoined, repetition: repetition)
  }

  /// Gives a repeated request its former key, and a new request a key if a retry policy makes one.
  func prepare(_ request: inout URLRequest) {
    defer { journal.recordBuilt(request) }
    // A GET or HEAD needs no key, because sending it twice is safe.
    guard let scope, let method = request.httpMethod, method != "GET", method != "HEAD" else {
      return
    }
    let summary = RequestSummary(request)
    let own = request.value(forHTTPHeaderField: IdempotencyKeys.field)
    if let key = call.key(of: summary, own: own, in: scope), key != own {
      request.replaceHeader(IdempotencyKeys.field, with: key)
    }
  }
}

extension SubscriptionContext {
  /// The call of a subscription; nil if there is none downstream.
  var call: LogicalCall? { self[CallPart.Key.self]?.call }

  /// Begins a scope of a call, within the scope of this context.
  ///
  /// - Parameter keyMaker: The maker of keys for requests without one, if there is one.
  /// - Returns: The scope, and the context for everything upstream.
  func beginningScope(
    of call: LogicalCall, keyMaker: IdempotencyKeyMaker? = nil
  ) -> (scope: CallScope, context: SubscriptionContext) {
    let scope = CallScope(
      of: call, within: self[CallPart.Key.self]?.scope, keyMaker: keyMaker)
    return (scope, setting(CallPart.Key.self, to: CallPart(of: call, scope: scope)))
  }
}
