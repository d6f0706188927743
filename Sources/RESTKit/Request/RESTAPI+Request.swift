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
        var request = URLRequest(
          url: try url(baseURL: baseURL, method: method, endpoint: endpoint, query: query))
        request.httpMethod = method.rawValue
        request.httpBody = body
        return requestModifier(request)
      }
      .publisher
      .mapError { $0 as any Error }
    }
  }
}

private func url(
  baseURL: String, method: HTTPMethod, endpoint: String, query: [URLQueryItem]
) throws(RESTError) -> URL {
  do throws(URLJoinError) {
    return try BaseURL(baseURL).url(endpoint: endpoint, query: query)
  } catch {
    throw RESTError(error, method: method)
  }
}
