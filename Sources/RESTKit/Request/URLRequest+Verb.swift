import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// - Throws: `RESTError` about the base URL, the endpoint or the query.
  init(
    _ method: HTTPMethod, baseURL: String, endpoint: String, query: [URLQueryItem], body: Data?
  ) throws(RESTError) {
    do throws(URLJoinError) {
      self.init(url: try BaseURL(baseURL).url(endpoint: endpoint, query: query))
    } catch {
      throw RESTError(error, method: method)
    }
    // To set what is there already costs as much as to make the request.
    if method != .get { httpMethod = method.rawValue }
    if let body { httpBody = body }
  }

  /// The method: GET where none is set, as Foundation sends it.
  package var method: HTTPMethod { HTTPMethod(httpMethod ?? "GET") }
}
