import Foundation
import Streams

/// The properties of a ``RESTAPI`` that have a default, in the types that the API declares.
///
/// Use ``RESTAPI``; this protocol needs no code of yours. It works around a rule of Swift: if a
/// property has the name of a requirement but another type, Swift silently uses the requirement's
/// default. In this protocol each property's type is inferred from the API's declaration, and the
/// defaults exist only for the right types. So a property of another type either works as well, or
/// the compiler rejects it: `candidate has non-matching type`.
///
/// A protocol that inherits from ``RESTAPI`` and has its own defaults is as strict if the defaults
/// are for the right types, too:
///
/// ```swift
/// protocol ShopAPI: RESTAPI {}
///
/// extension ShopAPI where RetryProperty == RetryPolicy? {
///   var retry: RetryPolicy? { shopPolicy }
/// }
/// ```
///
/// Swift ignores a property of any type if the property is `lazy` or an implicitly unwrapped
/// optional, or if its getter throws or is asynchronous.
public protocol RESTAPIProperties: Sendable {
  /// `any Transport`, or the type of one.
  associatedtype TransportProperty
  /// ``RedirectPolicy``.
  associatedtype RedirectsProperty
  /// ``HTTPHeaders``.
  associatedtype HeadersProperty
  /// `Duration`, optional or not.
  associatedtype TimeoutProperty
  /// `JSONDecoder`, optional or not.
  associatedtype DecoderProperty
  /// `JSONEncoder`, optional or not.
  associatedtype EncoderProperty
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

  /// ``RESTAPI/transport`` in the declared type.
  var transport: TransportProperty { get }
  /// ``RESTAPI/redirects`` in the declared type.
  var redirects: RedirectsProperty { get }
  /// ``RESTAPI/headers`` in the declared type.
  var headers: HeadersProperty { get }
  /// ``RESTAPI/timeout`` in the declared type.
  var timeout: TimeoutProperty { get }
  /// ``RESTAPI/decoder`` in the declared type.
  var decoder: DecoderProperty { get }
  /// ``RESTAPI/encoder`` in the declared type.
  var encoder: EncoderProperty { get }
  /// ``RESTAPI/secretHeaders`` in the declared type.
  var secretHeaders: SecretHeadersProperty { get }
  /// ``RESTAPI/retry`` in the declared type.
  var retry: RetryProperty { get }
  /// ``RESTAPI/session`` in the declared type.
  var session: SessionProperty { get }
  /// ``RESTAPI/cache`` in the declared type.
  var cache: CacheProperty { get }
  /// ``RESTAPI/coalescer`` in the declared type.
  var coalescer: CoalescerProperty { get }
  /// ``RESTAPI/rateLimiter`` in the declared type.
  var rateLimiter: RateLimiterProperty { get }
  /// ``RESTAPI/requestCompression`` in the declared type.
  var requestCompression: RequestCompressionProperty { get }
}

extension RESTAPIProperties where TransportProperty == any Transport {
  /// The shared transport.
  public var transport: any Transport { .shared }
}

extension RESTAPIProperties where RedirectsProperty == RedirectPolicy {
  /// All redirects are followed.
  public var redirects: RedirectPolicy { .follow }
}

extension RESTAPIProperties where HeadersProperty == HTTPHeaders {
  /// None.
  public var headers: HTTPHeaders { [:] }
}

extension RESTAPIProperties where TimeoutProperty == Duration? {
  /// That of `URLRequest`, 60 seconds.
  public var timeout: Duration? { nil }
}

extension RESTAPIProperties where DecoderProperty == JSONDecoder? {
  /// A plain `JSONDecoder`.
  public var decoder: JSONDecoder? { nil }
}

extension RESTAPIProperties where EncoderProperty == JSONEncoder? {
  /// A plain `JSONEncoder`.
  public var encoder: JSONEncoder? { nil }
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

// `as` selects the API's own property of that type. Without it, these properties would call
// themselves.

extension RESTAPIProperties where TransportProperty: Transport {
  /// The API's own.
  public var transport: any Transport { transport as TransportProperty }
}

extension RESTAPIProperties where TimeoutProperty == Duration {
  /// The API's own.
  public var timeout: Duration? { timeout as Duration }
}

extension RESTAPIProperties where DecoderProperty == JSONDecoder {
  /// The API's own.
  public var decoder: JSONDecoder? { decoder as JSONDecoder }
}

extension RESTAPIProperties where EncoderProperty == JSONEncoder {
  /// The API's own.
  public var encoder: JSONEncoder? { encoder as JSONEncoder }
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
