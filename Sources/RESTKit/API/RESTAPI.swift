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
/// Only the base URL is required. The compiler rejects a property of the wrong type instead of
/// using the default; see ``RESTAPIProperties``.
public protocol RESTAPI: RESTAPIProperties, Sendable {
  /// An absolute http or https URL with a host. It may have a path, which every request keeps. A
  /// query, a fragment or user info is an error.
  var baseURL: String { get }

  /// The transport of the requests. The default is ``SharedTransport``.
  ///
  /// A property of a concrete transport type, such as `let transport: StubTransport`, works as
  /// well.
  var transport: any Transport { get }

  /// The redirects that are followed. The default is all of them.
  var redirects: RedirectPolicy { get }

  /// The header fields of each request of this API. The default is none.
  ///
  /// A verb's or an endpoint's field of the same name replaces such a field, and so does the
  /// `Content-Type` of a body. They are read when the verb is called. A field that
  /// ``secretHeaders`` or the one list of secrets names does not leave the API's origin, neither on
  /// a redirect nor with ``get(url:headers:authorization:requestModifier:)`` nor with a modifier
  /// that changes the URL.
  var headers: HTTPHeaders { get }

  /// The time limit of each request, as the request's `timeoutInterval`. The default is nil, which
  /// is 60 seconds.
  ///
  /// It limits the whole exchange with its redirects. For events, uploads and downloads, it limits
  /// how long the server may be silent. A live stream has the limit of its policy instead. A
  /// request modifier may set another limit.
  var timeout: Duration? { get }

  /// The decoder of JSON responses. The default is nil, which is a plain `JSONDecoder`.
  ///
  /// It decodes wherever no other decoder is given: in `decode(type:)`, `decodeLines(of:)` and
  /// `decodeMessages(of:)` on a verb's publisher, in `decoded(as:)` of a response, and for an
  /// endpoint without an ``Endpoint/decoder`` of its own. Keep one, `let decoder: JSONDecoder`.
  var decoder: JSONDecoder? { get }

  /// The encoder of request bodies. The default is nil, which is a plain `JSONEncoder`.
  ///
  /// It encodes each `.json(…)` and `.form(encoding:)` without an encoder of its own.
  var encoder: JSONEncoder? { get }

  /// The names of further secrets, besides those that are secrets by their names, such as
  /// `Authorization`, `Cookie`, `X-Api-Key`, `X-Auth-Token` and `access_token`. The default is
  /// none.
  ///
  /// A header field with such a name does not leave its origin on a redirect. A field and a query
  /// item with such a name tell users apart for caches and shared exchanges, and a response to a
  /// request with one is never written to a cache's folder. The texts of responses, and what a
  /// `HARRecorder` and a recording of a test keep of the API's calls, hide the values of such
  /// names. Pass ``redaction`` to what does not know the API, such as a curl command.
  var secretHeaders: [String] { get }

  /// The policy that decides when requests are sent again. The default is none: they are never sent
  /// again.
  ///
  /// The policy applies to every verb but `events`, whose publisher has its own `retry`. A `retry`
  /// on a verb's publisher replaces this policy. Keep one policy, `let retry = RetryPolicy()`, as
  /// long as the API is in use, because the policy contains the budget of its retries.
  var retry: RetryPolicy? { get }

  /// The session whose token the requests of this API carry. The default is none.
  ///
  /// Keep one session, `let session: TokenSession`, as long as its user is signed in. To send a
  /// request without the token, use `get(endpoint: "status", authorization: .none)`, or an
  /// endpoint's ``Endpoint/authorization``. A session in `session.authorize(api.get(…))` replaces
  /// this one for that call.
  var session: TokenSession? { get }

  /// The cache of responses. The default is none.
  ///
  /// The cache answers GET and HEAD. A successful request with an unsafe method, such as POST,
  /// invalidates the cached responses of its URL; see ``HTTPCache``. Keep one, `let cache =
  /// HTTPCache()`: an API that makes a cache for each call caches nothing. `cached(in:)` on a
  /// verb's publisher replaces this cache.
  var cache: HTTPCache? { get }

  /// The coalescer that lets identical concurrent calls share one exchange. The default is none.
  ///
  /// It applies to GET and HEAD; see ``RequestCoalescer``. Keep one, `let coalescer =
  /// RequestCoalescer()`: an API that makes a coalescer for each call shares nothing.
  var coalescer: RequestCoalescer? { get }

  /// The limit of requests per time. The default is none.
  ///
  /// Each request takes a turn, also retries and redirects; see ``RateLimiter``. Keep one, `let
  /// rateLimiter = RateLimiter(10, per: .seconds(1))`: an API that makes a limiter for each call
  /// limits nothing. `rateLimited(by:)` on a verb's publisher replaces this limiter.
  var rateLimiter: RateLimiter? { get }

  /// The compression of request bodies. The default is none.
  ///
  /// ``RequestCompression`` describes which bodies are compressed.
  var requestCompression: RequestCompression? { get }
}

extension RESTAPI {
  /// The redaction that hides the values of names of secrets, and of ``secretHeaders``.
  ///
  /// It is for what does not know the API, such as the curl command of a request:
  ///
  /// ```swift
  /// request.curlCommand(redaction: api.redaction)
  /// ```
  public var redaction: Redaction {
    Redaction.byName.adding(DeclaredSecrets.declared(secretHeaders))
  }
}
