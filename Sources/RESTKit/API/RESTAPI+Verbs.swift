import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Every verb is cold: the URL is joined, the modifier runs and the request is sent anew for each
// subscription, and a retry is one. Each delivers any response, whatever its status, on the thread
// of the transport; each fails with `RESTError` where the URL, the request or the exchange fails,
// and with the transport's own error where that is not RESTKit's.
extension RESTAPI {
  /// Gets a resource.
  ///
  /// At the beginning of a computed property write `self.get(…)`: a bare `get` is the keyword there.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - requestModifier: Changes the request before it is sent, for each attempt.
  public func get(
    endpoint: String, query: [URLQueryItem] = [],
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    send(.get, endpoint: endpoint, query: query, requestModifier: requestModifier)
  }

  /// Asks for what a ``get(endpoint:query:requestModifier:)`` would answer, without the body.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - requestModifier: Changes the request before it is sent, for each attempt.
  public func head(
    endpoint: String, query: [URLQueryItem] = [],
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    send(.head, endpoint: endpoint, query: query, requestModifier: requestModifier)
  }

  /// Removes a resource.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - requestModifier: Changes the request before it is sent, for each attempt.
  public func delete(
    endpoint: String, query: [URLQueryItem] = [],
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    send(.delete, endpoint: endpoint, query: query, requestModifier: requestModifier)
  }

  /// Posts a body to a resource.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - body: The bytes to send; say what they are with a modifier such as
  ///     `{ $0.sendingJSON() }`.
  ///   - requestModifier: Changes the request before it is sent, for each attempt.
  public func post(
    endpoint: String, query: [URLQueryItem] = [], body: Data?,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    send(.post, endpoint: endpoint, query: query, body: body, requestModifier: requestModifier)
  }

  /// Puts a body in the place of a resource.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - body: The bytes to send.
  ///   - requestModifier: Changes the request before it is sent, for each attempt.
  public func put(
    endpoint: String, query: [URLQueryItem] = [], body: Data?,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    send(.put, endpoint: endpoint, query: query, body: body, requestModifier: requestModifier)
  }

  /// Changes a part of a resource.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - body: The bytes to send.
  ///   - requestModifier: Changes the request before it is sent, for each attempt.
  public func patch(
    endpoint: String, query: [URLQueryItem] = [], body: Data?,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    send(.patch, endpoint: endpoint, query: query, body: body, requestModifier: requestModifier)
  }

  /// Sends a request with any method.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - body: The bytes to send, if any.
  ///   - requestModifier: Changes the request before it is sent, for each attempt.
  public func send(
    _ method: HTTPMethod, endpoint: String, query: [URLQueryItem] = [], body: Data? = nil,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    let sender = RequestSender(for: self)
    return sender.resending(
      sender.exchange(
        method, endpoint: endpoint, query: query, body: body, requestModifier: requestModifier
      ) { follower, request in follower.response(for: request) })
  }
}
