import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RESTAPI {
  /// What sends the requests of this API.
  var follower: RedirectFollower {
    RedirectFollower(
      transport: transport, rules: RedirectRules(policy: redirects, secretHeaders: secretHeaders))
  }

  /// The request, built anew for each subscription.
  func request(
    _ method: HTTPMethod, endpoint: String, query: [URLQueryItem], body: Data? = nil,
    requestModifier: @escaping RequestModifier
  ) -> some Publisher<URLRequest, any Error> {
    Deferred { [baseURL] in
      Result { () throws(RESTError) in
        requestModifier(
          try URLRequest(method, baseURL: baseURL, endpoint: endpoint, query: query, body: body))
      }
      .publisher
      .mapError { $0 as any Error }
    }
  }
}

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
}
