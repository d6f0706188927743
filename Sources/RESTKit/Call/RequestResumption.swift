import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An object from downstream that lets the requests of a verb resume after the delivered content.
///
/// It runs after the user's modifiers. It is an object, so that it takes one reference in the
/// subscription's context.
protocol RequestResumption: AnyObject, Sendable {
  /// The `Range` on the last request for this purpose; nil if the request resumes in another way.
  var range: String? { get }

  /// Changes a request so that it resumes.
  func prepare(_ request: inout URLRequest) throws
}

/// The context key of the object that lets a verb's requests resume.
enum ResumptionKey: SubscriptionContextKey {
  static var defaultValue: (any RequestResumption)? { nil }
}
