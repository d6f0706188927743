import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Puts a credential on a request, after the user's modifiers have run.
///
/// Who authorizes a pipeline gives one to everything upstream. It is an object: one reference on the
/// way there.
protocol RequestAuthorizer: AnyObject, Sendable {
  /// - Parameters:
  ///   - request: The request as it would leave.
  ///   - api: The base URL of the API whose verb made it.
  func authorize(_ request: inout URLRequest, ofAPIAt api: String) throws

  /// Whether an answer, perhaps still without its body, refuses what was put on the last request of
  /// a call, so that it is no result of that.
  func isRefused(by answer: RESTResponse, in call: LogicalCall) -> Bool

  /// Who asks with a request that it has seen, the same over all tokens; nil where it cannot say.
  func identity(of request: URLRequest) -> TokenSession.Identity?
}

enum RequestAuthorizerKey: SubscriptionContextKey {
  static var defaultValue: (any RequestAuthorizer)? { nil }
}
