import HTTPTypes
import RESTKit
import RESTKitHTTPTypes

// snippet: api
/// An API over a client that speaks in swift-http-types.
struct CatalogAPI: RESTAPI {
  let baseURL: String
  let transport: any Transport

  init(baseURL: String, client: @escaping HTTPTypesTransport.Client) {
    self.baseURL = baseURL
    transport = HTTPTypesTransport(client: client)
  }
}
// end

// snippet: execute
/// A request of swift-http-types over any transport.
func item(
  _ number: Int, at authority: String, over transport: some Transport
) async throws -> String {
  let request = HTTPRequest(
    method: .get, scheme: "http", authority: authority, path: "/items/\(number)",
    headerFields: [.accept: "text/plain"])
  let (response, body) = try await transport.execute(request)
  guard response.status == .ok else { return "\(response.status.code)" }
  return String(decoding: try await body.collect(), as: UTF8.self)
}
// end
