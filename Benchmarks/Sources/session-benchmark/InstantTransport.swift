import Foundation
import Measuring
import RESTKit
import Streams
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that returns the same response to each request at once.
final class InstantTransport: Transport {
  private let answer: RESTResponse
  private let sawToken = Atomic<Bool>(false)

  init() throws {
    guard let url = URL(string: "https://api.example.com/orders") else { throw Unsound("no URL") }
    answer = RESTResponse(
      head: ResponseHead(
        url: url, statusCode: 200, headers: ["Cache-Control": "max-age=86400"]),
      data: Data("{}".utf8),
      request: RequestSummary(method: .get, url: url))
  }

  /// The response, without a request.
  var ready: AnyPublisher<RESTResponse, any Error> {
    Just(answer).setFailureType(to: (any Error).self).eraseToAnyPublisher()
  }

  /// Whether a request carried a token.
  var isAuthorized: Bool { sawToken.load(ordering: .relaxed) }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    if request.value(forHTTPHeaderField: "Authorization") != nil {
      sawToken.store(true, ordering: .relaxed)
    }
    return ready
  }
}

struct InstantAPI: RESTAPI {
  let transport: any Transport
  var baseURL: String { "https://api.example.com" }
}
