import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RequestDraft {
  /// Creates the draft of a verb.
  init(
    _ method: HTTPMethod, baseURL: String, endpoint: String, query: QueryItems,
    headers: HTTPHeaders = [:], body: RequestBody?, authorization: RequestAuthorization,
    requestModifier: @escaping RequestModifier
  ) {
    self.init(authorization: authorization) { target, _ in
      var request = try URLRequest(method, baseURL: baseURL, endpoint: endpoint, query: query)
      if let target { request.url = target }
      let rest = try body?.put(on: &request)
      request.replaceHeaders(with: headers)
      return Made(request: requestModifier(request), body: rest)
    }
  }

  /// Creates the draft of an endpoint.
  init(
    _ endpoint: some Endpoint, baseURL: String, requestModifier: @escaping RequestModifier
  ) {
    self.init(authorization: endpoint.authorization) { target, wantsTemplate in
      var request = try URLRequest(endpoint, baseURL: baseURL)
      var isDescribed = true
      if let target {
        isDescribed = target.path == request.url?.path
        request.url = target
      }
      let rest = try endpoint.body?.put(on: &request)
      request.replaceHeaders(with: endpoint.headers)
      return Made(
        request: requestModifier(request), body: rest,
        urlTemplate: wantsTemplate && isDescribed
          ? endpoint.path.template(below: baseURL) : nil)
    }
  }
}
