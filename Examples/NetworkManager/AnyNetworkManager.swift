public import Foundation
public import RESTKit

/// A type-erased manager for a screen to store: the real one in the app, and a mock in its tests.
public struct AnyNetworkManager: NetworkManaging {
  private let manager: any NetworkManaging

  public init(_ manager: some NetworkManaging) {
    self.manager = manager
  }

  public func request<Model: Decodable & Sendable>(
    _ method: HTTPMethod, _ path: ResourcePath, headers: HTTPHeaders, token: String?, data: Data?,
    as model: Model.Type, completion: @escaping @Sendable (Result<Model?, any Error>) -> Void
  ) {
    manager.request(
      method, path, headers: headers, token: token, data: data, as: model, completion: completion)
  }

  public func cancel() {
    manager.cancel()
  }
}
