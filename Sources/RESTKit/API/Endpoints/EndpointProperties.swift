import Foundation

/// The properties of an ``Endpoint`` that have a default, in the types that the endpoint declares.
///
/// ``RESTAPIProperties`` does the same for an API.
///
/// Without this protocol, Swift would ignore headers of type `[String: String]` or a method of type
/// `String`, and the request would use the default. With it, the compiler rejects them, and a body need
/// not be optional.
public protocol EndpointProperties: Sendable {
  /// ``HTTPMethod``.
  associatedtype MethodProperty
  /// ``QueryItems``, or an array of `URLQueryItem`.
  associatedtype QueryProperty
  /// ``HTTPHeaders``.
  associatedtype HeadersProperty
  /// ``RequestBody``, optional or not.
  associatedtype BodyProperty
  /// ``RequestAuthorization``.
  associatedtype AuthorizationProperty
  /// `JSONDecoder`.
  associatedtype DecoderProperty

  /// ``Endpoint/method`` in the declared type.
  var method: MethodProperty { get }
  /// ``Endpoint/query`` in the declared type.
  var query: QueryProperty { get }
  /// ``Endpoint/headers`` in the declared type.
  var headers: HeadersProperty { get }
  /// ``Endpoint/body`` in the declared type.
  var body: BodyProperty { get }
  /// ``Endpoint/authorization`` in the declared type.
  var authorization: AuthorizationProperty { get }
  /// ``Endpoint/decoder`` in the declared type.
  var decoder: DecoderProperty { get }
}

extension EndpointProperties where MethodProperty == HTTPMethod {
  /// GET.
  public var method: HTTPMethod { .get }
}

extension EndpointProperties where QueryProperty == QueryItems {
  /// None.
  public var query: QueryItems { [] }
}

extension EndpointProperties where HeadersProperty == HTTPHeaders {
  /// None.
  public var headers: HTTPHeaders { [:] }
}

extension EndpointProperties where BodyProperty == RequestBody? {
  /// None.
  public var body: RequestBody? { nil }
}

extension EndpointProperties where AuthorizationProperty == RequestAuthorization {
  /// The request carries the session's token.
  public var authorization: RequestAuthorization { .session }
}

extension EndpointProperties where DecoderProperty == JSONDecoder {
  /// A plain `JSONDecoder`.
  public var decoder: JSONDecoder { JSONDecoder() }
}

// `as` selects the endpoint's own property of that type. Without it, this property would call itself.

extension EndpointProperties where QueryProperty == [URLQueryItem] {
  /// The endpoint's own.
  public var query: QueryItems { QueryItems(query as [URLQueryItem]) }
}

extension EndpointProperties where BodyProperty == RequestBody {
  /// The endpoint's own.
  public var body: RequestBody? { body as RequestBody }
}
