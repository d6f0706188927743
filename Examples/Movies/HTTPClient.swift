import Foundation
public import RESTKit

/// Sends what an endpoint describes.
public nonisolated protocol HTTPClient: Sendable {
  var transport: any Transport { get }
}

nonisolated extension HTTPClient {
  /// - Returns: The answer, decoded from snake case, or why there is none.
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

/// An endpoint of this service as one of RESTKit's, which knows its answer.
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
