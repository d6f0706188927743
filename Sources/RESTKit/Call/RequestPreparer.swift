import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An object from downstream that changes the requests of a call, for example to add a credential or a
/// position to resume from.
///
/// It runs after the user's modifiers. It is an object, so that it takes one reference in the
/// subscription's context.
protocol RequestPreparer: AnyObject, Sendable {
  /// - Parameters:
  ///   - request: The request in its form so far.
  ///   - api: The base URL of the API whose verb made the request.
  func prepare(_ request: inout URLRequest, ofAPIAt api: String) throws

  /// Whether a response, perhaps still without its body, refuses the credential on the last request of
  /// a part of a call, and so is not the part's result.
  func isRefused(by answer: RESTResponse, in part: CallPart) -> Bool

  /// Whether a response to a prepared request refuses the credential on it.
  func refuses(_ answer: RESTResponse) -> Bool

  /// Returns the asker of a prepared request; nil if it is unknown.
  func asker(of request: URLRequest) -> RequestAsker?
}

extension RequestPreparer {
  func isRefused(by answer: RESTResponse, in part: CallPart) -> Bool { false }

  func refuses(_ answer: RESTResponse) -> Bool { false }

  func asker(of request: URLRequest) -> RequestAsker? { nil }
}

/// The context key of the preparer that adds a credential to a verb's requests.
enum CredentialKey: SubscriptionContextKey {
  static var defaultValue: (any RequestPreparer)? { nil }
}

/// A preparer that lets the requests of a verb resume after the delivered content.
protocol RequestResumption: RequestPreparer {
  /// The `Range` on the last request for this purpose; nil if the request resumes in another way.
  var range: String? { get }
}

/// The context key of the preparer that lets a verb's requests resume.
enum ResumptionKey: SubscriptionContextKey {
  static var defaultValue: (any RequestResumption)? { nil }
}

extension SubscriptionContext {
  /// Adds the downstream changes to a request: first the position to resume from, then the credential,
  /// then the idempotency key of a call that counts.
  func prepare(
    _ request: inout URLRequest, ofAPIAt api: String, for call: CallPart?
  ) throws {
    try self[ResumptionKey.self]?.prepare(&request, ofAPIAt: api)
    try self[CredentialKey.self]?.prepare(&request, ofAPIAt: api)
    call?.prepare(&request)
  }
}

/// The time for which an asker is known.
///
/// It is an object, so that its identity is unique.
protocol AskerSpan: AnyObject, Sendable {
  /// A unique text that reveals nothing about the asker.
  var name: String { get }

  var isOver: Bool { get }

  /// Runs an action when the time is over.
  ///
  /// It runs at once if the end was already announced.
  func whenOver(_ action: @escaping @Sendable () -> Void)
}

/// The identity of an asker, the same over all tokens.
///
/// A cache stores responses for one asker.
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
