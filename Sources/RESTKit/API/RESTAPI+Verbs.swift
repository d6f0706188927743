import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Every verb is cold: the URL is joined, the body is made, the modifier runs and the request is sent
// anew for each subscription, and a retry is one. Each delivers any response, whatever its status, on
// the thread of the transport; each fails with `RESTError` where the URL, the request or the exchange
// fails, with `TokenSessionError` where there is no token to be had, and with the transport's own error
// where that is not RESTKit's.
extension RESTAPI {
  /// Gets a resource.
  ///
  /// At the beginning of a computed property write `self.get(…)`: a bare `get` is the keyword there.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` makes no difference.
  ///   - query: The names and values of the query, not encoded.
  ///   - headers: Header fields of the request, for each attempt.
  ///   - authorization: Whether the request carries the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: Changes the request before it is sent, for each attempt.
  public func get(
    endpoint: String, query: QueryItems = [], headers: HTTPHeaders = [:],
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    request(
      .get, endpoint: endpoint, query: query, headers: headers, authorization: authorization,
      requestModifier: requestModifier)
  }

  /// Asks for what a ``get(endpoint:query:headers:authorization:requestModifier:)`` would answer, without the
  /// body.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` makes no difference.
  ///   - query: The names and values of the query, not encoded.
  ///   - headers: Header fields of the request, for each attempt.
  ///   - authorization: Whether the request carries the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: Changes the request before it is sent, for each attempt.
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
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` makes no difference.
  ///   - query: The names and values of the query, not encoded.
  ///   - headers: Header fields of the request, for each attempt.
  ///   - authorization: Whether the request carries the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: Changes the request before it is sent, for each attempt.
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
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` makes no difference.
  ///   - query: The names and values of the query, not encoded.
  ///   - headers: Header fields of the request, for each attempt.
  ///   - body: What to send; nil for nothing.
  ///   - authorization: Whether the request carries the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; it sees the body and
  ///     its `Content-Type`.
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

  /// Puts a body in the place of a resource.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` makes no difference.
  ///   - query: The names and values of the query, not encoded.
  ///   - headers: Header fields of the request, for each attempt.
  ///   - body: What to send; nil for nothing.
  ///   - authorization: Whether the request carries the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; it sees the body and
  ///     its `Content-Type`.
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
  /// For another format than JSON's own, such as `application/merge-patch+json`, set the header in the
  /// modifier.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` makes no difference.
  ///   - query: The names and values of the query, not encoded.
  ///   - headers: Header fields of the request, for each attempt.
  ///   - body: What to send; nil for nothing.
  ///   - authorization: Whether the request carries the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; it sees the body and
  ///     its `Content-Type`.
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
  ///   - headers: Header fields of the request, for each attempt.
  ///   - body: What to send, if anything.
  ///   - authorization: Whether the request carries the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; it sees the body and
  ///     its `Content-Type`.
  public func request(
    _ method: HTTPMethod, endpoint: String, query: QueryItems = [], headers: HTTPHeaders = [:],
    body: RequestBody? = nil,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    RequestSender(for: self).response(
      to: RequestDraft(
        method, baseURL: baseURL, endpoint: endpoint, query: query, headers: headers, body: body,
        authorization: authorization, requestModifier: requestModifier))
  }
}
