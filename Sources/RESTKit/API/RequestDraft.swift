import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The description of a request by a verb or an endpoint, from which each attempt makes a request.
struct RequestDraft: Sendable {
  let authorization: RequestAuthorization
  /// The URL that replaces the described one; nil to keep that.
  private var target: URL?
  private let making: @Sendable (_ target: URL?, _ wantsTemplate: Bool) throws -> MadeRequest

  /// Creates the draft of a verb.
  init(
    _ method: HTTPMethod, baseURL: String, endpoint: String, query: QueryItems,
    headers: HTTPHeaders = [:], body: RequestBody?, authorization: RequestAuthorization,
    requestModifier: @escaping RequestModifier
  ) {
    self.authorization = authorization
    making = { target, _ in
      var request = try URLRequest(method, baseURL: baseURL, endpoint: endpoint, query: query)
      if let target { request.url = target }
      let rest = try body?.put(on: &request)
      request.replaceHeaders(with: headers)
      return MadeRequest(request: requestModifier(request), body: rest)
    }
  }

  /// Creates the draft of an endpoint.
  init(
    _ endpoint: some Endpoint, baseURL: String, requestModifier: @escaping RequestModifier
  ) {
    authorization = endpoint.authorization
    making = { target, wantsTemplate in
      var request = try URLRequest(endpoint, baseURL: baseURL)
      var isDescribed = true
      if let target {
        isDescribed = target.path == request.url?.path
        request.url = target
      }
      let rest = try endpoint.body?.put(on: &request)
      request.replaceHeaders(with: endpoint.headers)
      return MadeRequest(
        request: requestModifier(request), body: rest,
        urlTemplate: wantsTemplate && isDescribed
          ? endpoint.path.template(below: baseURL) : nil)
    }
  }

  /// Makes the request, with the template of its path if `wantsTemplate` is true.
  func make(wantsTemplate: Bool = false) throws -> MadeRequest { try making(target, wantsTemplate) }

  /// Returns the draft of the same request with another URL.
  func at(_ url: URL) -> RequestDraft {
    var draft = self
    draft.target = url
    return draft
  }
}
