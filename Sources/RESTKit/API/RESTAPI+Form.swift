import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RESTAPI {
  /// Posts the fields of a form, as `application/x-www-form-urlencoded` with that `Content-Type`.
  ///
  /// It is cold and delivers like ``post(endpoint:query:body:requestModifier:)``.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - form: Names and values, not encoded; nil is an empty value. They go in this order, also
  ///     where a name comes twice.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; it sees the
  ///     `Content-Type`.
  public func post(
    endpoint: String, query: [URLQueryItem] = [], form: [URLQueryItem],
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    post(endpoint: endpoint, query: query, body: FormEncoding.data(form)) {
      requestModifier($0.sendingForm())
    }
  }

  /// Puts the fields of a form in the place of a resource; all else is as at
  /// ``post(endpoint:query:form:requestModifier:)``.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - form: Names and values, not encoded; nil is an empty value. They go in this order, also
  ///     where a name comes twice.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; it sees the
  ///     `Content-Type`.
  public func put(
    endpoint: String, query: [URLQueryItem] = [], form: [URLQueryItem],
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    put(endpoint: endpoint, query: query, body: FormEncoding.data(form)) {
      requestModifier($0.sendingForm())
    }
  }

  /// Changes a part of a resource by the fields of a form; all else is as at
  /// ``post(endpoint:query:form:requestModifier:)``.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - form: Names and values, not encoded; nil is an empty value. They go in this order, also
  ///     where a name comes twice.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; it sees the
  ///     `Content-Type`.
  public func patch(
    endpoint: String, query: [URLQueryItem] = [], form: [URLQueryItem],
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    patch(endpoint: endpoint, query: query, body: FormEncoding.data(form)) {
      requestModifier($0.sendingForm())
    }
  }
}
