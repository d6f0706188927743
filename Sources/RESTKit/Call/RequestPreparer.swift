import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a call is given on its way to the verb, for its requests: a credential, a place to go on from.
///
/// It works on a request after the user's modifiers have run. It is an object: one reference in the
/// subscription's context.
protocol RequestPreparer: AnyObject, Sendable {
  /// - Parameters:
  ///   - request: The request as it would leave.
  ///   - api: The base URL of the API whose verb made it.
  func prepare(_ request: inout URLRequest, ofAPIAt api: String) throws

  /// Whether an answer, perhaps still without its body, refuses what was put on the last request of
  /// a part of a call, so that it is no result of that.
  func isRefused(by answer: RESTResponse, in part: CallPart) -> Bool

  /// Whether an answer to a request that carried what this puts on it refuses that.
  func refuses(_ answer: RESTResponse) -> Bool

  /// Who asks with a request that was prepared; nil where this cannot say.
  func asker(of request: URLRequest) -> RequestAsker?
}

extension RequestPreparer {
  func isRefused(by answer: RESTResponse, in part: CallPart) -> Bool { false }

  func refuses(_ answer: RESTResponse) -> Bool { false }

  func asker(of request: URLRequest) -> RequestAsker? { nil }
}

/// In the context of a verb: who puts a credential on its requests.
enum CredentialKey: SubscriptionContextKey {
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
  /// what a call that counts and records puts on it.
  func prepare(
    _ request: inout URLRequest, ofAPIAt api: String, for call: CallPart?
  ) throws {
    try self[ResumptionKey.self]?.prepare(&request, ofAPIAt: api)
    try self[CredentialKey.self]?.prepare(&request, ofAPIAt: api)
    call?.prepare(&request)
  }
}

/// The time for which somebody is known to ask: an object, so that no other can come to stand for him.
protocol AskerSpan: AnyObject, Sendable {
  /// A text that no other has, and that tells nothing about him.
  var name: String { get }

  var isOver: Bool { get }

  /// Runs an action once it is over; at once where it is and that was told.
  func whenOver(_ action: @escaping @Sendable () -> Void)
}

/// Who asks, the same over all tokens: what is kept of answers is kept for one asker.
struct RequestAsker: Hashable, Sendable {
  let span: any AskerSpan

  init(_ span: any AskerSpan) {
    self.span = span
  }

  static func == (lhs: RequestAsker, rhs: RequestAsker) -> Bool { lhs.span === rhs.span }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(span))
  }
}
