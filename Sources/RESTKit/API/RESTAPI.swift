import Foundation
import Streams

/// A place that serves resources: where it is, and how to get there.
///
/// Conform a service's own type, and its requests read as what they are:
///
/// ```swift
/// struct ShopAPI: RESTAPI {
///   let baseURL = "https://api.example.com/v1"
/// }
///
/// ShopAPI().get(endpoint: "orders", query: [URLQueryItem(name: "page", value: "2")])
///   .decode(type: [Order].self)
/// ```
///
/// Only the base URL is needed. A property whose type does not fit is refused by the compiler, and not
/// passed over for the default; ``RESTAPIProperties`` says how.
public protocol RESTAPI: RESTAPIProperties, Sendable {
  /// An absolute http or https URL with a host, as it stands in configuration. It may have a path,
  /// which every request keeps; a query, a fragment or user info is refused.
  var baseURL: String { get }

  /// What carries the requests; ``SharedTransport`` unless said otherwise.
  ///
  /// A property of one transport's type, `let transport: StubTransport`, serves as well.
  var transport: any Transport { get }

  /// Which redirects are followed; all unless said otherwise.
  var redirects: RedirectPolicy { get }

  /// Headers that must not leave the origin they were meant for when a redirect does, besides
  /// `Authorization`, `Cookie`, `Proxy-Authorization` and `X-Api-Key`; none unless said otherwise.
  var secretHeaders: [String] { get }

  /// When requests are sent again; never unless said otherwise.
  ///
  /// It holds for every verb but `events`, whose publisher has a `retry` of its own. A `retry` on a
  /// verb's publisher takes its place. Keep one policy, `let retry = RetryPolicy()`, for as long as the API
  /// is used: the budget of its retries is part of it.
  var retry: RetryPolicy? { get }

  /// Whose token the requests of this API carry; nobody's unless said otherwise.
  ///
  /// Keep one session, `let session: TokenSession`, for as long as its user is signed in. What must go
  /// without says so: `get(endpoint: "status", authorization: .none)`, and an endpoint by its
  /// ``Endpoint/authorization``. A session that is given a call, `session.authorize(api.get(…))`, takes
  /// the place of this one.
  var session: TokenSession? { get }

  /// What keeps the answers that servers let be kept, and gives them again; nothing unless said otherwise.
  ///
  /// It holds for GET and HEAD, and changes by other methods make what was kept invalid; ``HTTPCache`` says
  /// more. Keep one, `let cache = HTTPCache()`: an API that makes one for each call keeps nothing.
  /// `cached(in:)` on a verb's publisher takes its place.
  var cache: HTTPCache? { get }

  /// Where calls that ask for the same at the same time share one exchange; nowhere unless said
  /// otherwise.
  ///
  /// It holds for GET and HEAD; ``RequestCoalescer`` says more. Keep one,
  /// `let coalescer = RequestCoalescer()`: an API that makes one for each call shares nothing.
  var coalescer: RequestCoalescer? { get }

  /// How many requests may leave in a time; any number unless said otherwise.
  ///
  /// Each request takes a turn, retries and redirects too; ``RateLimiter`` says more. Keep one,
  /// `let rateLimiter = RateLimiter(10, per: .seconds(1))`: an API that makes one for each call limits
  /// nothing. `rateLimited(by:)` on a verb's publisher takes its place.
  var rateLimiter: RateLimiter? { get }

  /// How the bodies of requests are compressed; not at all unless said otherwise.
  ///
  /// ``RequestCompression`` says which bodies are.
  var requestCompression: RequestCompression? { get }
}
