/// The properties of a ``RESTAPI`` that have a default, in the types that the API declares them in.
///
/// There is nothing to do for it; read ``RESTAPI``. It is there because of what Swift does with a
/// property that has a requirement's name and another type: it takes the requirement's default, and
/// says nothing. Here each property has a type that is inferred from the API's own, and the defaults
/// are for the right types alone. So one of another type either serves as well, or is refused:
/// `candidate has non-matching type`.
///
/// A protocol that inherits from ``RESTAPI`` and has defaults of its own is as strict if they are for
/// the right types, too:
///
/// ```swift
/// protocol ShopAPI: RESTAPI {}
///
/// extension ShopAPI where RetryProperty == RetryPolicy? {
///   var retry: RetryPolicy? { shopPolicy }
/// }
/// ```
///
/// Whatever its type, Swift overlooks a property that is `lazy` or an implicitly unwrapped optional,
/// and one whose getter throws or is asynchronous.
public protocol RESTAPIProperties: Sendable {
  /// `any Transport`, or the type of one.
  associatedtype TransportProperty
  /// ``RedirectPolicy``.
  associatedtype RedirectsProperty
  /// An array of `String`.
  associatedtype SecretHeadersProperty
  /// ``RetryPolicy``, optional or not.
  associatedtype RetryProperty
  /// ``TokenSession``, optional or not.
  associatedtype SessionProperty
  /// ``HTTPCache``, optional or not.
  associatedtype CacheProperty
  /// ``RequestCoalescer``, optional or not.
  associatedtype CoalescerProperty
  /// ``RateLimiter``, optional or not.
  associatedtype RateLimiterProperty
  /// ``RequestCompression``, optional or not.
  associatedtype RequestCompressionProperty

  /// ``RESTAPI/transport``, as it is declared.
  var transport: TransportProperty { get }
  /// ``RESTAPI/redirects``, as they are declared.
  var redirects: RedirectsProperty { get }
  /// ``RESTAPI/secretHeaders``, as they are declared.
  var secretHeaders: SecretHeadersProperty { get }
  /// ``RESTAPI/retry``, as it is declared.
  var retry: RetryProperty { get }
  /// ``RESTAPI/session``, as it is declared.
  var session: SessionProperty { get }
  /// ``RESTAPI/cache``, as it is declared.
  var cache: CacheProperty { get }
  /// ``RESTAPI/coalescer``, as it is declared.
  var coalescer: CoalescerProperty { get }
  /// ``RESTAPI/rateLimiter``, as it is declared.
  var rateLimiter: RateLimiterProperty { get }
  /// ``RESTAPI/requestCompression``, as it is declared.
  var requestCompression: RequestCompressionProperty { get }
}

extension RESTAPIProperties where TransportProperty == any Transport {
  /// The shared one.
  public var transport: any Transport { .shared }
}

extension RESTAPIProperties where RedirectsProperty == RedirectPolicy {
  /// All are followed.
  public var redirects: RedirectPolicy { .follow }
}

extension RESTAPIProperties where SecretHeadersProperty == [String] {
  /// None.
  public var secretHeaders: [String] { [] }
}

extension RESTAPIProperties where RetryProperty == RetryPolicy? {
  /// None.
  public var retry: RetryPolicy? { nil }
}

extension RESTAPIProperties where SessionProperty == TokenSession? {
  /// None.
  public var session: TokenSession? { nil }
}

extension RESTAPIProperties where CacheProperty == HTTPCache? {
  /// None.
  public var cache: HTTPCache? { nil }
}

extension RESTAPIProperties where CoalescerProperty == RequestCoalescer? {
  /// None.
  public var coalescer: RequestCoalescer? { nil }
}

extension RESTAPIProperties where RateLimiterProperty == RateLimiter? {
  /// None.
  public var rateLimiter: RateLimiter? { nil }
}

extension RESTAPIProperties where RequestCompressionProperty == RequestCompression? {
  /// None.
  public var requestCompression: RequestCompression? { nil }
}

// `as` picks the property of that type, the API's own; without it, these would call themselves.

extension RESTAPIProperties where TransportProperty: Transport {
  /// The API's own.
  public var transport: any Transport { transport as TransportProperty }
}

extension RESTAPIProperties where RetryProperty == RetryPolicy {
  /// The API's own.
  public var retry: RetryPolicy? { retry as RetryPolicy }
}

extension RESTAPIProperties where SessionProperty == TokenSession {
  /// The API's own.
  public var session: TokenSession? { session as TokenSession }
}

extension RESTAPIProperties where CacheProperty == HTTPCache {
  /// The API's own.
  public var cache: HTTPCache? { cache as HTTPCache }
}

extension RESTAPIProperties where CoalescerProperty == RequestCoalescer {
  /// The API's own.
  public var coalescer: RequestCoalescer? { coalescer as RequestCoalescer }
}

extension RESTAPIProperties where RateLimiterProperty == RateLimiter {
  /// The API's own.
  public var rateLimiter: RateLimiter? { rateLimiter as RateLimiter }
}

extension RESTAPIProperties where RequestCompressionProperty == RequestCompression {
  /// The API's own.
  public var requestCompression: RequestCompression? { requestCompression as RequestCompression }
}
