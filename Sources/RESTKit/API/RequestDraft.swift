import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request as a verb or an endpoint describes it, made anew for each attempt.
struct RequestDraft: Sendable {
  let authorization: RequestAuthorization
  /// Makes the request, and a body that is not to be in memory, if there is one.
  let make: @Sendable () throws -> (URLRequest, RequestBody?)

  /// What a verb describes.
  init(
    _ method: HTTPMethod, baseURL: String, endpoint: String, query: [URLQueryItem],
    body: RequestBody?, authorization: RequestAuthorization,
    requestModifier: @escaping RequestModifier
  ) {
    self.authorization = authorization
    make = {
      var request = try URLRequest(method, baseURL: baseURL, endpoint: endpoint, query: query)
      let rest = try body?.put(on: &request)
      return (requestModifier(request), rest)
    }
  }

  /// What an endpoint describes.
  init(
    _ endpoint: some Endpoint, baseURL: String, requestModifier: @escaping RequestModifier
  ) {
    authorization = endpoint.authorization
    make = {
      var request = try URLRequest(endpoint, baseURL: baseURL)
      let rest = try endpoint.body?.put(on: &request)
      var isSet: Set<String> = []
      for (name, value) in endpoint.headers {
        if isSet.insert(name.lowercased()).inserted {
          request.replaceHeader(name, with: value)
        } else {
          request.addValue(value, forHTTPHeaderField: name)
        }
      }
      return (requestModifier(request), rest)
    }
  }
}
