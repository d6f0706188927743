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
    var body: RequestBody?
    /// The path without its values; nil where that is not known, or not asked for.
    var urlTemplate: String?
  }

  let authorization: RequestAuthorization
  /// Where it goes instead of the place that it describes; nil for that.
  private var target: URL?
  private let making: @Sendable (_ target: URL?, _ wantsTemplate: Bool) throws -> Made

  /// What a verb describes.
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
      return Made(request: requestModifier(request), body: rest)
    }
  }

  /// What an endpoint describes.
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
      return Made(
        request: requestModifier(request), body: rest,
        urlTemplate: wantsTemplate && isDescribed
          ? endpoint.path.template(below: baseURL) : nil)
    }
  }

  /// Makes the request, with the template of its path where that is asked for.
  func make(wantsTemplate: Bool = false) throws -> Made { try making(target, wantsTemplate) }

  /// The same request at another place.
  func at(_ url: URL) -> RequestDraft {
    var draft = self
    draft.target = url
    return draft
  }
}
