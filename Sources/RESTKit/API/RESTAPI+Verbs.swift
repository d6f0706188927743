import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Every verb is cold: for each subscription it joins the URL, makes the body, runs the modifier and
// sends the request. A retry is a subscription. A verb delivers a response of any status, on the
// transport's thread. It fails with `RESTError` if the URL, the request or the exchange fails, with
// `TokenSessionError` if the session has no token, and with the transport's own error if that is
// not RESTKit's.
extension RESTAPI {
  /// Gets a resource.
  ///
  /// At the beginning of a computed property write `self.get(…)`, because a bare `get` is the
  /// keyword there.
  ///
  /// The parameters are those of
  /// ``request(_:endpoint:query:headers:body:authorization:requestModifier:)``.
  public func get(
    endpoint: String, query: QueryItems = [], headers: HTTPHeaders = [:],
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    request(
      .get, endpoint: endpoint, query: query, headers: headers, authorization: authorization,
      requestModifier: requestModifier)
  }

  /// Requests the head of the response that
  /// ``get(endpoint:query:headers:authorization:requestModifier:)`` would deliver, without the
  /// body.
  ///
  /// The parameters are those of
  /// ``request(_:endpoint:query:headers:body:authorization:requestModifier:)``.
  public func head(
    endpoint: String, query: QueryItems = [], headers: HTTPHeaders = [:],
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    request(
      .head, endpoint: endpoint, query: query, headers: headers, authorization: authorization,
      requestModifier: requestModifier)
  }

  /// Removes a resource.
  ///
  /// The parameters are those of
  /// ``request(_:endpoint:query:headers:body:authorization:requestModifier:)``.
  public func delete(
    endpoint: String, query: QueryItems = [], headers: HTTPHeaders = [:],
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    request(
      .delete, endpoint: endpoint, query: query, headers: headers, authorization: authorization,
      requestModifier: requestModifier)
  }

  /// Posts a body to a resource.
  ///
  /// ```swift
  /// api.post(endpoint: "orders", body: .json(order))
  /// ```
  ///
  /// The parameters are those of
  /// ``request(_:endpoint:query:headers:body:authorization:requestModifier:)``.
  public func post(
    endpoint: String, query: QueryItems = [], headers: HTTPHeaders = [:],
    body: RequestBody? = nil,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    request(
      .post, endpoint: endpoint, query: query, headers: headers, body: body,
      authorization: authorization, requestModifier: requestModifier)
  }

  /// Replaces a resource with a body.
  ///
  /// The parameters are those of
  /// ``request(_:endpoint:query:headers:body:authorization:requestModifier:)``.
  public func put(
    endpoint: String, query: QueryItems = [], headers: HTTPHeaders = [:],
    body: RequestBody? = nil,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    request(
      .put, endpoint: endpoint, query: query, headers: headers, body: body,
      authorization: authorization, requestModifier: requestModifier)
  }

  /// Changes a part of a resource.
  ///
  /// For another format than JSON's own, set the header: `["Content-Type":
  /// "application/merge-patch+json"]`.
  ///
  /// The parameters are those of
  /// ``request(_:endpoint:query:headers:body:authorization:requestModifier:)``.
  public func patch(
    endpoint: String, query: QueryItems = [], headers: HTTPHeaders = [:],
    body: RequestBody? = nil,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    request(
      .patch, endpoint: endpoint, query: query, headers: headers, body: body,
      authorization: authorization, requestModifier: requestModifier)
  }

  /// Sends a request with any method.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - endpoint: The path below the base URL. A leading `/` makes no difference.
  ///   - query: The names and values of the query, not encoded.
  ///   - headers: The header fields of the request, for each attempt.
  ///   - body: The body; nil for none.
  ///   - authorization: Whether the request carries the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: A closure that changes the request before each attempt. It sees the body
  ///     and its `Content-Type`.
  public func request(
    _ method: HTTPMethod, endpoint: String, query: QueryItems = [], headers: HTTPHeaders = [:],
    body: RequestBody? = nil,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    RequestSender(for: self).response(
      to: RequestDraft(
        method, of: RequestBase(self), endpoint: endpoint, query: query, headers: headers,
        body: body,
        authorization: authorization, requestModifier: requestModifier))
  }
}
