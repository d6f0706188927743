import Foundation

/// A request of an API as a value: its path, its contents, and the type of its response.
///
/// ```swift
/// struct PetByID: Endpoint {
///   typealias Response = Pet
///   let id: Int
///   var path: ResourcePath { "pets/\(id)" }
/// }
///
/// let pet = try await api.send(PetByID(id: 7))
/// ```
///
/// An enumeration whose cases share one response type can conform, too. Everything but the path has
/// a default. The compiler rejects a property of the wrong type instead of using the default; see
/// ``EndpointProperties``.
public protocol Endpoint: EndpointProperties, EndpointNames, Sendable {
  /// The type of the response: a `Decodable` type, `Data` for the body as it is, `Void` if the body
  /// does not matter, or ``RESTResponse`` for any response as it is.
  associatedtype Response: Sendable

  /// The method. The default is GET.
  var method: HTTPMethod { get }
  /// The path of the resource, below the API's base URL.
  var path: ResourcePath { get }
  /// The names and values of the query, not encoded. The default is none.
  var query: QueryItems { get }
  /// Header fields besides those that the body and the response need. The default is none.
  var headers: HTTPHeaders { get }
  /// The body. The default is none. A property of type ``RequestBody`` that is not optional works
  /// as well.
  var body: RequestBody? { get }
  /// Whether the request carries the token of the API's ``RESTAPI/session``, if the API has one.
  /// The default is ``RequestAuthorization/session``.
  var authorization: RequestAuthorization { get }
  /// The time limit of the request, as its `timeoutInterval`. The default is nil, which is the
  /// API's ``RESTAPI/timeout``.
  ///
  /// For a long poll, write the server's time and a reserve: `let timeout = Duration.seconds(95)`.
  var timeout: Duration? { get }
  /// The policy that decides when the request is sent again. The default is nil, which is the API's
  /// ``RESTAPI/retry``. A policy with one attempt sends the request once.
  var retry: RetryPolicy? { get }
  /// The decoder of a JSON response. The default is nil, which is the API's ``RESTAPI/decoder``.
  var decoder: JSONDecoder? { get }

  /// Makes the `Response` from a response, on the thread that delivers the response.
  ///
  /// The default implementations for a decodable response, `Data` and `Void` require a status of
  /// 200...299.
  ///
  /// - Throws: ``RESTError``.
  func answer(_ response: RESTResponse) throws -> Response
}

extension Endpoint where Response: Decodable {
  public func answer(_ response: RESTResponse) throws -> Response {
    try response.decoded(as: Response.self, by: decoder)
  }
}

extension Endpoint where Response == Data {
  public func answer(_ response: RESTResponse) throws -> Response {
    try response.requireStatus(200...299)
    return response.data
  }
}

extension Endpoint where Response == Void {
  public func answer(_ response: RESTResponse) throws -> Response {
    try response.requireStatus(200...299)
  }
}

extension Endpoint where Response == RESTResponse {
  public func answer(_ response: RESTResponse) -> Response { response }
}

/// The properties of an ``Endpoint`` that have a default, in the types that the endpoint declares.
///
/// ``RESTAPIProperties`` does the same for an API.
///
/// Without this protocol, Swift would ignore headers of type `[String: String]` or a method of type
/// `String`, and the request would use the default. With it, the compiler rejects them, and a body
/// need not be optional.
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
  /// `Duration`, optional or not.
  associatedtype TimeoutProperty
  /// ``RetryPolicy``, optional or not.
  associatedtype RetryProperty
  /// `JSONDecoder`, optional or not.
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
  /// ``Endpoint/timeout`` in the declared type.
  var timeout: TimeoutProperty { get }
  /// ``Endpoint/retry`` in the declared type.
  var retry: RetryProperty { get }
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

extension EndpointProperties where TimeoutProperty == Duration? {
  /// The API's.
  public var timeout: Duration? { nil }
}

extension EndpointProperties where RetryProperty == RetryPolicy? {
  /// The API's.
  public var retry: RetryPolicy? { nil }
}

extension EndpointProperties where DecoderProperty == JSONDecoder? {
  /// The API's.
  public var decoder: JSONDecoder? { nil }
}

// `as` selects the endpoint's own property of that type. Without it, this property would call
// itself.

extension EndpointProperties where QueryProperty == [URLQueryItem] {
  /// The endpoint's own.
  public var query: QueryItems { QueryItems(query as [URLQueryItem]) }
}

extension EndpointProperties where TimeoutProperty == Duration {
  /// The endpoint's own.
  public var timeout: Duration? { timeout as Duration }
}

extension EndpointProperties where RetryProperty == RetryPolicy {
  /// The endpoint's own.
  public var retry: RetryPolicy? { retry as RetryPolicy }
}

extension EndpointProperties where DecoderProperty == JSONDecoder {
  /// The endpoint's own.
  public var decoder: JSONDecoder? { decoder as JSONDecoder }
}

extension EndpointProperties where BodyProperty == RequestBody {
  /// The endpoint's own.
  public var body: RequestBody? { body as RequestBody }
}
