import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a verb asks for, and the form in which it delivers the response: the same for each subscription.
struct Verb<Output: Sendable>: Sendable {
  /// Reads the properties of the API.
  let settings: @Sendable () -> APISettings
  /// Makes the request, with the template of its path if the argument is true.
  let make: @Sendable (_ wantsTemplate: Bool) throws -> MadeRequest
  /// Sends the request along the rest of the way.
  let send:
    @Sendable (ExchangePlan, URLRequest, RequestBody?) throws -> AnyPublisher<Output, any Error>
  /// Returns the response that an output is, or whose head it is; nil for another output.
  let response: @Sendable (Output) -> RESTResponse?
}

/// What an API says about the calls of a verb.
struct APISettings: Sendable {
  let baseURL: String
  let transport: any Transport
  let redirects: RedirectPolicy
  let secretHeaders: [String]
  let compression: RequestCompression?
  /// The session, cache, coalescer and limiter, unless a pipeline names others.
  let options: CallOptions
}

/// A request that was made, before its modifiers in tasks.
struct MadeRequest: Sendable {
  var request: URLRequest
  /// The body, if it must not be in memory.
  var body: RequestBody?
  /// The path without its values; nil if it is unknown or was not requested.
  var urlTemplate: String?
}
