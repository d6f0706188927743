import Foundation

/// The names that no property of an ``Endpoint`` may have.
///
/// Use ``Endpoint``; this protocol needs no code of yours. Since each property but the path has a
/// default, a property with another library's name for it would silently be none of the request:
/// `httpMethod` in place of ``Endpoint/method``. With this protocol, the compiler rejects it:
/// `unavailable static property 'spellingOfMethod' was used …: write method, not httpMethod`.
///
/// A stored property that is to become the query, the headers or another part of the request has
/// that part's own name: `let query: QueryItems` is the query.
public protocol EndpointNames: Sendable {
  // The type of each name is inferred from what an endpoint declares. Without a declaration, it is
  // `UnusedName`, and only then is there a spelling that the compiler may use.
  associatedtype HTTPMethodName
  associatedtype HTTPBodyName
  associatedtype RequestBodyName
  associatedtype QueryItemsName
  associatedtype QueryParametersName
  associatedtype ParametersName
  associatedtype HTTPHeadersName
  associatedtype TimeoutIntervalName
  associatedtype RetryPolicyName
  associatedtype JSONDecoderName

  var httpMethod: HTTPMethodName { get }
  var httpBody: HTTPBodyName { get }
  var requestBody: RequestBodyName { get }
  var queryItems: QueryItemsName { get }
  var queryParameters: QueryParametersName { get }
  var parameters: ParametersName { get }
  var httpHeaders: HTTPHeadersName { get }
  var timeoutInterval: TimeoutIntervalName { get }
  var retryPolicy: RetryPolicyName { get }
  var jsonDecoder: JSONDecoderName { get }

  static var spellingOfMethod: Void { get }
  static var spellingOfBody: Void { get }
  static var spellingOfRequestBody: Void { get }
  static var spellingOfQuery: Void { get }
  static var spellingOfQueryParameters: Void { get }
  static var spellingOfParameters: Void { get }
  static var spellingOfHeaders: Void { get }
  static var spellingOfTimeout: Void { get }
  static var spellingOfRetry: Void { get }
  static var spellingOfDecoder: Void { get }
}

/// The type of a property that no endpoint has.
public struct UnusedName: Sendable {
  fileprivate init() {}
}

extension EndpointNames {
  @available(*, unavailable, message: "write method, not httpMethod")
  public static var spellingOfMethod: Void { () }
  @available(*, unavailable, message: "write body, not httpBody")
  public static var spellingOfBody: Void { () }
  @available(*, unavailable, message: "write body, not requestBody")
  public static var spellingOfRequestBody: Void { () }
  @available(*, unavailable, message: "write query, not queryItems")
  public static var spellingOfQuery: Void { () }
  @available(*, unavailable, message: "write query, not queryParameters")
  public static var spellingOfQueryParameters: Void { () }
  /// Any value may be called that, but a query is the request's.
  public static var spellingOfParameters: Void { () }
  @available(*, unavailable, message: "write headers, not httpHeaders")
  public static var spellingOfHeaders: Void { () }
  @available(*, unavailable, message: "write timeout, not timeoutInterval")
  public static var spellingOfTimeout: Void { () }
  @available(*, unavailable, message: "write retry, not retryPolicy")
  public static var spellingOfRetry: Void { () }
  @available(*, unavailable, message: "write decoder, not jsonDecoder")
  public static var spellingOfDecoder: Void { () }
}

extension EndpointNames where HTTPMethodName == UnusedName {
  public var httpMethod: UnusedName { UnusedName() }
  public static var spellingOfMethod: Void { () }
}

extension EndpointNames where HTTPBodyName == UnusedName {
  public var httpBody: UnusedName { UnusedName() }
  public static var spellingOfBody: Void { () }
}

extension EndpointNames where RequestBodyName == UnusedName {
  public var requestBody: UnusedName { UnusedName() }
  public static var spellingOfRequestBody: Void { () }
}

extension EndpointNames where QueryItemsName == UnusedName {
  public var queryItems: UnusedName { UnusedName() }
  public static var spellingOfQuery: Void { () }
}

extension EndpointNames where QueryParametersName == UnusedName {
  public var queryParameters: UnusedName { UnusedName() }
  public static var spellingOfQueryParameters: Void { () }
}

extension EndpointNames where ParametersName == UnusedName {
  public var parameters: UnusedName { UnusedName() }
}

extension EndpointNames where ParametersName == QueryItems {
  @available(*, unavailable, message: "write query, not parameters")
  public static var spellingOfParameters: Void { () }
}

extension EndpointNames where ParametersName == [URLQueryItem] {
  @available(*, unavailable, message: "write query, not parameters")
  public static var spellingOfParameters: Void { () }
}

extension EndpointNames where HTTPHeadersName == UnusedName {
  public var httpHeaders: UnusedName { UnusedName() }
  public static var spellingOfHeaders: Void { () }
}

extension EndpointNames where TimeoutIntervalName == UnusedName {
  public var timeoutInterval: UnusedName { UnusedName() }
  public static var spellingOfTimeout: Void { () }
}

extension EndpointNames where RetryPolicyName == UnusedName {
  public var retryPolicy: UnusedName { UnusedName() }
  public static var spellingOfRetry: Void { () }
}

extension EndpointNames where JSONDecoderName == UnusedName {
  public var jsonDecoder: UnusedName { UnusedName() }
  public static var spellingOfDecoder: Void { () }
}
