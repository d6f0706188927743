import Foundation
import RESTKit
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Answers 200 to one bearer token, and 401 to all others.
package struct TokenCheckingTransport: Transport {
  package let token: String

  package init(token: String) { self.token = token }

  package func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    let isAccepted = request.value(forHTTPHeaderField: "Authorization") == "Bearer \(token)"
    return Result<RESTResponse, any Error> {
      let head = ResponseHead(url: try #require(request.url), statusCode: isAccepted ? 200 : 401)
      return RESTResponse(head: head, data: Data(), request: RequestSummary(request))
    }
    .publisher
    .eraseToAnyPublisher()
  }
}
