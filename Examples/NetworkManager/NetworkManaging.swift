public import Foundation
public import RESTKit

/// One request at a time to anywhere below a base URL, with a callback.
///
/// It has no associated type, so that whoever needs one stores `any NetworkManaging`, or
/// ``AnyNetworkManager``.
public nonisolated protocol NetworkManaging: Sendable {
  /// - Parameters:
  ///   - headers: Sent besides those that the token and the data ask for.
  ///   - token: Sent as a bearer token, if there is one.
  ///   - data: Sent as JSON, if there is any.
  ///   - completion: Runs once on the main actor, with the answer (nil where the status is 204, which
  ///     has no body) or the error; not after ``cancel()``.
  func request<Model: Decodable & Sendable>(
    _ method: HTTPMethod, _ path: ResourcePath, headers: HTTPHeaders, token: String?, data: Data?,
    as model: Model.Type, completion: @escaping @Sendable (Result<Model?, any Error>) -> Void)

  /// Ends whatever runs.
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
