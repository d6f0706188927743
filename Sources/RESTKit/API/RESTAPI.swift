import Foundation
import Streams

/// A REST service: its base URL, and the settings of its calls.
///
/// Define a type for each service:
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
/// Only the base URL is required. The compiler rejects a property of the wrong type instead of using
/// the default; see ``RESTAPIProperties``.
public protocol RESTAPI: RESTAPIProperties, Sendable {
  /// An absolute http or https URL with a host. It may have a path, which every request keeps. A query,
  /// a fragment or user info is an error.
  var baseURL: String { get }

  /// The transport of the requests. The default is ``SharedTransport``.
  ///
  /// A property of a concrete transport type, such as `let transport: StubTransport`, works as well.
  var transport: any Transport { get }

  /// The redirects that are followed. The default is all of them.
  var redirects: RedirectPolicy { get }

  /// The names of header fields that must not leave their origin on a redirect, besides
  /// `Authorization`, `Cookie`, `Proxy-Authorization` and `X-Api-Key`. The default is none.
  var secretHeaders: [String] { get }

  /// The policy that decides when requests are sent again. The default is none: they are never sent
  /// again.
  ///
  /// The policy applies to every verb but `events`, whose publisher has its own `retry`. A `retry` on a
  /// verb's publisher replaces this policy. Keep one policy, `let retry = RetryPolicy()`, as long as
  /// the API is in use, because the policy contains the budget of its retries.
  var retry: RetryPolicy? { get }

  /// The session whose token the requests of this API carry. The default is none.
  ///
  /// Keep one session, `let session: TokenSession`, as long as its user is signed in. To send a request
  /// without the token, use `get(endpoint: "status", authorization: .none)`, or an endpoint's
  /// ``Endpoint/authorization``. A session in `session.authorize(api.get(…))` replaces this one for
  /// that call.
  var session: TokenSession? { get }

  /// The cache of responses. The default is none.
  ///
  /// The cache answers GET and HEAD. A successful request with an unsafe method, such as POST,
  /// invalidates the cached responses of its URL; see ``HTTPCache``. Keep one,
  /// `let cache = HTTPCache()`: an API that makes a cache for each call caches nothing. `cached(in:)`
  /// on a verb's publisher replaces this cache.
  var cache: HTTPCache? { get }

  /// The coalescer that lets identical concurrent calls share one exchange. The default is none.
  ///
  /// It applies to GET and HEAD; see ``RequestCoalescer``. Keep one,
  /// `let coalescer = RequestCoalescer()`: an API that makes a coalescer for each call shares nothing.
  var coalescer: RequestCoalescer? { get }

  /// The limit of requests per time. The default is none.
  ///
  /// Each request takes a turn, also retries and redirects; see ``RateLimiter``. Keep one,
  /// `let rateLimiter = RateLimiter(10, per: .seconds(1))`: an API that makes a limiter for each call
  /// limits nothing. `rateLimited(by:)` on a verb's publisher replaces this limiter.
  var rateLimiter: RateLimiter? { get }

  /// The compression of request bodies. The default is none.
  ///
  /// ``RequestCompression`` describes which bodies are compressed.
  var requestCompression: RequestCompression? { get }
}
