import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a call is given on its way to the verb, for its requests: a credential, validators.
///
/// It works on a request after the user's modifiers have run. It is an object: one reference in the
/// subscription's context.
protocol RequestPreparer: AnyObject, Sendable {
  /// - Parameters:
  ///   - request: The request as it would leave.
  ///   - api: The base URL of the API whose verb made it.
  ///   - credential: Who has put a credential on it before, if anybody has.
  func prepare(
    _ request: inout URLRequest, ofAPIAt api: String, after credential: (any RequestPreparer)?
  ) throws

  /// Whether an answer, perhaps still without its body, refuses what was put on the last request of
  /// a part of a call, so that it is no result of that.
  func isRefused(by answer: RESTResponse, in part: CallPart) -> Bool

  /// Who asks with a request that was prepared; nil where this cannot say.
  func asker(of request: URLRequest) -> RequestAsker?
}

extension RequestPreparer {
  func isRefused(by answer: RESTResponse, in part: CallPart) -> Bool { false }

  func asker(of request: URLRequest) -> RequestAsker? { nil }
}

/// In the context of a verb: who puts a credential on its requests.
enum CredentialKey: SubscriptionContextKey {
  static var defaultValue: (any RequestPreparer)? { nil }
}

/// In the context of a verb: who makes its requests conditional.
enum ValidatorsKey: SubscriptionContextKey {
  static var defaultValue: (any RequestPreparer)? { nil }
}

/// Lets the requests of a verb go on from what was delivered.
protocol RequestResumption: RequestPreparer {
  /// The `Range` that the last request was given for that; nil where it goes on in another way.
  var range: String? { get }
}

/// In the context of a verb: who lets its requests go on from what was delivered.
enum ResumptionKey: SubscriptionContextKey {
  static var defaultValue: (any RequestResumption)? { nil }
}

extension SubscriptionContext {
  /// Adds to a request what somebody downstream gives it: where to go on first, then the credential, then
  /// validators of what is kept for who asks with it, then what a call that counts and records puts on it.
  func prepare(
    _ request: inout URLRequest, ofAPIAt api: String, for call: CallPart?
  ) throws {
    try self[ResumptionKey.self]?.prepare(&request, ofAPIAt: api, after: nil)
    let credential = self[CredentialKey.self]
    try credential?.prepare(&request, ofAPIAt: api, after: nil)
    try self[ValidatorsKey.self]?.prepare(&request, ofAPIAt: api, after: credential)
    call?.prepare(&request)
  }
}

/// Who asks, the same over all tokens: what is kept of answers is kept for one asker.
struct RequestAsker: Hashable, Sendable {
  private let identity: any Hashable & Sendable

  init(_ identity: some Hashable & Sendable) {
    self.identity = identity
  }

  static func == (lhs: RequestAsker, rhs: RequestAsker) -> Bool {
    AnyHashable(lhs.identity) == AnyHashable(rhs.identity)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(AnyHashable(identity))
  }
}
