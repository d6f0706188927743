public import Foundation
public import RESTKit

/// A manager that sends one request at a time to a path below a base URL, and calls back.
///
/// It has no associated type, so a screen can store `any NetworkManaging` or ``AnyNetworkManager``.
public nonisolated protocol NetworkManaging: Sendable {
  /// Sends a request.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path below the base URL.
  ///   - headers: The header fields, besides those for the token and the data.
  ///   - token: The bearer token, or nil for none.
  ///   - data: The JSON body, or nil for none.
  ///   - model: The type of the response.
  ///   - completion: A closure that runs once on the main actor, but not after ``cancel()``. It
  ///     gets the response or the error. The response is nil if the status is 204, which has no
  ///     body.
  func request<Model: Decodable & Sendable>(
    _ method: HTTPMethod, _ path: ResourcePath, headers: HTTPHeaders, token: String?, data: Data?,
    as model: Model.Type, completion: @escaping @Sendable (Result<Model?, any Error>) -> Void)

  /// Cancels the running request, if any.
  func cancel()
}

nonisolated extension NetworkManaging {
  public func get<Model: Decodable & Sendable>(
    _ path: ResourcePath, headers: HTTPHeaders = [:], token: String? = nil,
    as model: Model.Type = Model.self,
    completion: @escaping @Sendable (Result<Model?, any Error>) -> Void
  ) {
    request(
      .get, path, headers: headers, token: token, data: nil, as: model, completion: completion)
  }

  public func post<Model: Decodable & Sendable>(
    _ path: ResourcePath, headers: HTTPHeaders = [:], token: String? = nil, data: Data?,
    as model: Model.Type = Model.self,
    completion: @escaping @Sendable (Result<Model?, any Error>) -> Void
  ) {
    request(
      .post, path, headers: headers, token: token, data: data, as: model, completion: completion)
  }

  public func put<Model: Decodable & Sendable>(
    _ path: ResourcePath, headers: HTTPHeaders = [:], token: String? = nil, data: Data?,
    as model: Model.Type = Model.self,
    completion: @escaping @Sendable (Result<Model?, any Error>) -> Void
  ) {
    request(
      .put, path, headers: headers, token: token, data: data, as: model, completion: completion)
  }

  public func patch<Model: Decodable & Sendable>(
    _ path: ResourcePath, headers: HTTPHeaders = [:], token: String? = nil, data: Data?,
    as model: Model.Type = Model.self,
    completion: @escaping @Sendable (Result<Model?, any Error>) -> Void
  ) {
    request(
      .patch, path, headers: headers, token: token, data: data, as: model, completion: completion)
  }

  public func delete<Model: Decodable & Sendable>(
    _ path: ResourcePath, headers: HTTPHeaders = [:], token: String? = nil,
    as model: Model.Type = Model.self,
    completion: @escaping @Sendable (Result<Model?, any Error>) -> Void
  ) {
    request(
      .delete, path, headers: headers, token: token, data: nil, as: model, completion: completion)
  }
}
