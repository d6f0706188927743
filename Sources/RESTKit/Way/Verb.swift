import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a verb asks for, and the form in which it delivers the response: the same for each subscription.
struct Verb<Output: Sendable>: Sendable {
  /// Reads the properties of the API.
  let settings: @Sendable () -> APISettings
  let draft: RequestDraft
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
  /// The session whose token the requests carry, unless the verb excludes that.
  let session: TokenSession?
  let cache: HTTPCache?
  let coalescer: RequestCoalescer?
  let limiter: RateLimiter?
}

/// The description of a request by a verb or an endpoint, from which each attempt makes a request.
struct RequestDraft: Sendable {
  /// A request that was made, before its modifiers in tasks.
  struct Made: Sendable {
    var request: URLRequest
    /// The body, if it must not be in memory.
    var body: RequestBody?
    /// The path without its values; nil if it is unknown or was not requested.
    var urlTemplate: String?
  }

  let authorization: RequestAuthorization
  /// The URL that replaces the described one; nil to keep that.
  private var target: URL?
  private let making: @Sendable (_ target: URL?, _ wantsTemplate: Bool) throws -> Made

  init(
    authorization: RequestAuthorization,
    making: @escaping @Sendable (_ target: URL?, _ wantsTemplate: Bool) throws -> Made
  ) {
    self.authorization = authorization
    self.making = making
  }

  /// Makes the request, with the template of its path if `wantsTemplate` is true.
  func make(wantsTemplate: Bool = false) throws -> Made { try making(target, wantsTemplate) }

  /// Returns the draft of the same request with another URL.
  func at(_ url: URL) -> RequestDraft {
    var draft = self
    draft.target = url
    return draft
  }
}
