import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The endpoint of a path with values, whose response is not decoded.
struct PathEndpoint: Endpoint {
  typealias Response = RESTResponse
  let path: ResourcePath
  var method = HTTPMethod.get
  var query: QueryItems = [:]
  var headers: HTTPHeaders = [:]
  var body: RequestBody?
  var authorization = RequestAuthorization.session
}

// The verbs for a path with values. Each value is percent-encoded and stays in its segment.
extension RESTAPI {
  /// Gets a resource, by a path with values.
  ///
  /// ```swift
  /// api.get("users/\(id)/orders")
  /// ```
  ///
  /// The parameters are those of
  /// ``request(_:_:query:headers:body:authorization:requestModifier:)``.
  public func get(
    _ path: ResourcePath, query: QueryItems = [], headers: HTTPHeaders = [:],
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    request(
      .get, path, query: query, headers: headers, authorization: authorization,
      requestModifier: requestModifier)
  }

  /// Requests the head of a response, by a path with values.
  ///
  /// The parameters are those of
  /// ``request(_:_:query:headers:body:authorization:requestModifier:)``.
  public func head(
    _ path: ResourcePath, query: QueryItems = [], headers: HTTPHeaders = [:],
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    request(
      .head, path, query: query, headers: headers, authorization: authorization,
      requestModifier: requestModifier)
  }

  /// Removes a resource, by a path with values.
  ///
  /// The parameters are those of
  /// ``request(_:_:query:headers:body:authorization:requestModifier:)``.
  public func delete(
    _ path: ResourcePath, query: QueryItems = [], headers: HTTPHeaders = [:],
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    request(
      .delete, path, query: query, headers: headers, authorization: authorization,
      requestModifier: requestModifier)
  }

  /// Posts a body to a resource, by a path with values.
  ///
  /// The parameters are those of
  /// ``request(_:_:query:headers:body:authorization:requestModifier:)``.
  public func post(
    _ path: ResourcePath, query: QueryItems = [], headers: HTTPHeaders = [:],
    body: RequestBody? = nil,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    request(
      .post, path, query: query, headers: headers, body: body, authorization: authorization,
      requestModifier: requestModifier)
  }

  /// Replaces a resource with a body, by a path with values.
  ///
  /// The parameters are those of
  /// ``request(_:_:query:headers:body:authorization:requestModifier:)``.
  public func put(
    _ path: ResourcePath, query: QueryItems = [], headers: HTTPHeaders = [:],
    body: RequestBody? = nil,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    request(
      .put, path, query: query, headers: headers, body: body, authorization: authorization,
      requestModifier: requestModifier)
  }

  /// Changes a part of a resource, by a path with values.
  ///
  /// The parameters are those of
  /// ``request(_:_:query:headers:body:authorization:requestModifier:)``.
  public func patch(
    _ path: ResourcePath, query: QueryItems = [], headers: HTTPHeaders = [:],
    body: RequestBody? = nil,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    request(
      .patch, path, query: query, headers: headers, body: body, authorization: authorization,
      requestModifier: requestModifier)
  }

  /// Sends a request with any method, by a path with values.
  ///
  /// The publisher is that of
  /// ``request(_:endpoint:query:headers:body:authorization:requestModifier:)``. It fails with
  /// ``RESTError`` of kind `invalidEndpoint` if a value does not fit the path.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path below the base URL.
  ///   - query: The names and values of the query, not encoded.
  ///   - headers: The header fields of the request, for each attempt.
  ///   - body: The body; nil for none.
  ///   - authorization: Whether the request carries the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: A closure that changes the request before each attempt. It sees the body
  ///     and its `Content-Type`.
  public func request(
    _ method: HTTPMethod, _ path: ResourcePath, query: QueryItems = [],
    headers: HTTPHeaders = [:], body: RequestBody? = nil,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    let endpoint = PathEndpoint(
      path: path, method: method, query: query, headers: headers, body: body,
      authorization: authorization)
    return RequestSender(for: self).response(
      to: RequestDraft(endpoint, of: RequestBase(self), requestModifier: requestModifier))
  }
}
