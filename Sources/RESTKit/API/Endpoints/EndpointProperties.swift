import Foundation

/// The properties of an ``Endpoint`` that have a default, in the types that the endpoint declares them
/// in: what ``RESTAPIProperties`` is for an API.
///
/// Headers that are a `[String: String]`, or a method that is a `String`, would be overlooked without
/// it, and the default sent. With it they are refused, and a body need not be optional.
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

  /// ``Endpoint/method``, as it is declared.
  var method: MethodProperty { get }
  /// ``Endpoint/query``, as it is declared.
  var query: QueryProperty { get }
  /// ``Endpoint/headers``, as they are declared.
  var headers: HeadersProperty { get }
  /// ``Endpoint/body``, as it is declared.
  var body: BodyProperty { get }
  /// ``Endpoint/authorization``, as it is declared.
  var authorization: AuthorizationProperty { get }
  /// ``Endpoint/decoder``, as it is declared.
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
  /// The session's.
  public var authorization: RequestAuthorization { .session }
}

extension EndpointProperties where DecoderProperty == JSONDecoder {
  /// A plain one.
  public var decoder: JSONDecoder { JSONDecoder() }
}

// `as` picks the property of that type, the endpoint's own; without it, this would call itself.

extension EndpointProperties where QueryProperty == [URLQueryItem] {
  /// The endpoint's own.
  public var query: QueryItems { QueryItems(query as [URLQueryItem]) }
}

extension EndpointProperties where BodyProperty == RequestBody {
  /// The endpoint's own.
  public var body: RequestBody? { body as RequestBody }
}
