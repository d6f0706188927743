import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Cold as every verb: the value is encoded when somebody subscribes, and anew for each attempt. One
// that cannot be encoded fails with `RESTError` of kind `invalidRequest`, which names the place in the
// value; nothing was sent then.
extension RESTAPI {
  /// Posts a value as JSON, with `application/json` for its `Content-Type`.
  ///
  /// It delivers like ``post(endpoint:query:body:requestModifier:)``. A value that cannot be encoded
  /// fails it with ``RESTError`` of kind `invalidRequest`, before anything is sent.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - json: The value, encoded for each attempt.
  ///   - encoder: Encodes it.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; it sees the body
  ///     and its `Content-Type`.
  public func post(
    endpoint: String, query: [URLQueryItem] = [], json: some Encodable & Sendable,
    encoder: JSONEncoder = JSONEncoder(), requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    RequestSender(for: self).response(
      .post, endpoint: endpoint, query: query, body: .json(json, encoder: encoder),
      requestModifier: requestModifier)
  }

  /// Puts a value as JSON in the place of a resource, with `application/json` for its `Content-Type`.
  ///
  /// It delivers like ``put(endpoint:query:body:requestModifier:)``. A value that cannot be encoded
  /// fails it with ``RESTError`` of kind `invalidRequest`, before anything is sent.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - json: The value, encoded for each attempt.
  ///   - encoder: Encodes it.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; it sees the body
  ///     and its `Content-Type`.
  public func put(
    endpoint: String, query: [URLQueryItem] = [], json: some Encodable & Sendable,
    encoder: JSONEncoder = JSONEncoder(), requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    RequestSender(for: self).response(
      .put, endpoint: endpoint, query: query, body: .json(json, encoder: encoder),
      requestModifier: requestModifier)
  }

  /// Changes a part of a resource by a value as JSON, with `application/json` for its `Content-Type`.
  ///
  /// It delivers like ``patch(endpoint:query:body:requestModifier:)``. A value that cannot be encoded
  /// fails it with ``RESTError`` of kind `invalidRequest`, before anything is sent. For another
  /// format, such as `application/merge-patch+json`, set the header in the modifier.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - json: The value, encoded for each attempt.
  ///   - encoder: Encodes it.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; it sees the body
  ///     and its `Content-Type`.
  public func patch(
    endpoint: String, query: [URLQueryItem] = [], json: some Encodable & Sendable,
    encoder: JSONEncoder = JSONEncoder(), requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    RequestSender(for: self).response(
      .patch, endpoint: endpoint, query: query, body: .json(json, encoder: encoder),
      requestModifier: requestModifier)
  }
}
