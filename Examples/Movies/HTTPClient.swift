import Foundation
public import RESTKit

/// A client that sends the requests of endpoints.
public nonisolated protocol HTTPClient: Sendable {
  var transport: any Transport { get }
}

nonisolated extension HTTPClient {
  /// Sends the request of an endpoint.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - responseModel: The type of the response.
  /// - Returns: The response, decoded from snake case, or the error.
  public func sendRequest<Model: Decodable & Sendable>(
    endpoint: some Endpoint, responseModel: Model.Type
  ) async -> Result<Model, RequestError> {
    let host = Host(baseURL: "\(endpoint.scheme)://\(endpoint.host)", transport: transport)
    do {
      return .success(try await host.send(Asking<Model>(endpoint: endpoint)))
    } catch {
      return .failure(RequestError(error))
    }
  }
}

private struct Host: RESTAPI {
  let baseURL: String
  let transport: any Transport
}

/// A RESTKit endpoint that wraps an endpoint of this service and knows its response type.
private struct Asking<Model: Decodable & Sendable>: RESTKit.Endpoint {
  typealias Response = Model

  let endpoint: any Endpoint

  var method: HTTPMethod { endpoint.method }
  var path: ResourcePath { endpoint.path }
  var headers: HTTPHeaders { endpoint.header }
  var body: RequestBody? { endpoint.body.map { .json($0) } }

  var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }
}
