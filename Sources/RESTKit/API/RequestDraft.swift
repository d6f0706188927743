import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request as a verb or an endpoint describes it, made anew for each attempt.
struct RequestDraft: Sendable {
  let authorization: RequestAuthorization
  /// Where it goes instead of the place that it describes; nil for that.
  private var target: URL?
  private let making: @Sendable (_ target: URL?) throws -> (URLRequest, RequestBody?)

  /// What a verb describes.
  init(
    _ method: HTTPMethod, baseURL: String, endpoint: String, query: [URLQueryItem],
    body: RequestBody?, authorization: RequestAuthorization,
    requestModifier: @escaping RequestModifier
  ) {
    self.authorization = authorization
    making = { target in
      var request = try URLRequest(method, baseURL: baseURL, endpoint: endpoint, query: query)
      if let target { request.url = target }
      let rest = try body?.put(on: &request)
      return (requestModifier(request), rest)
    }
  }

  /// What an endpoint describes.
  init(
    _ endpoint: some Endpoint, baseURL: String, requestModifier: @escaping RequestModifier
  ) {
    authorization = endpoint.authorization
    making = { target in
      var request = try URLRequest(endpoint, baseURL: baseURL)
      if let target { request.url = target }
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

  /// Makes the request, and a body that is not to be in memory, if there is one.
  func make() throws -> (URLRequest, RequestBody?) { try making(target) }

  /// The same request at another place.
  func at(_ url: URL) -> RequestDraft {
    var draft = self
    draft.target = url
    return draft
  }
}
