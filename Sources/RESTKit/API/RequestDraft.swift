import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request as a verb or an endpoint describes it, made anew for each attempt.
struct RequestDraft: Sendable {
  /// A request that was made.
  struct Made: Sendable {
    var request: URLRequest
    /// A body that is not to be in memory, if there is one.
    let body: RequestBody?
    /// The path without its values; nil where that is not known, or not asked for.
    var urlTemplate: String?
  }

  let authorization: RequestAuthorization
  /// Makes the request, with the template of its path where that is asked for.
  let make: @Sendable (_ wantsTemplate: Bool) throws -> Made

  /// What a verb describes.
  init(
    _ method: HTTPMethod, baseURL: String, endpoint: String, query: [URLQueryItem],
    body: RequestBody?, authorization: RequestAuthorization,
    requestModifier: @escaping RequestModifier
  ) {
    self.authorization = authorization
    make = { _ in
      var request = try URLRequest(method, baseURL: baseURL, endpoint: endpoint, query: query)
      let rest = try body?.put(on: &request)
      return Made(request: requestModifier(request), body: rest)
    }
  }

  /// What an endpoint describes.
  init(
    _ endpoint: some Endpoint, baseURL: String, requestModifier: @escaping RequestModifier
  ) {
    authorization = endpoint.authorization
    make = { wantsTemplate in
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
      return Made(
        request: requestModifier(request), body: rest,
        urlTemplate: wantsTemplate ? endpoint.path.template(below: baseURL) : nil)
    }
  }
}
