// A base class and its subclass that have moved, of Docs/FromCombine.md.
import Foundation
import RESTKit
import Streams
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension FromCombine {
  // snippet: classes
  nonisolated protocol RequestSending: Sendable {
    func send(_ request: URLRequest) -> AnyPublisher<RESTResponse, any Error>
  }

  nonisolated final class WebService: RequestSending {
    private let api: ShopAPI
    private let headers = Mutex<[String: String]>([:])

    init(api: ShopAPI) {
      self.api = api
    }

    func set(_ name: String, to value: String) {
      headers.withLock { $0[name] = value }
    }

    func send(_ request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
      guard let url = request.url else {
        return Fail(error: URLError(.badURL)).eraseToAnyPublisher()
      }
      let request = headers.withLock { $0 }
        .reduce(request) { $0.settingHeader($1.key, to: $1.value) }
      return api.request(HTTPMethod(request.httpMethod ?? "GET"), url: url) { _ in request }
    }
  }

  /// It was a subclass of `WebService`, and has one instead.
  nonisolated final class SignedWebService: RequestSending {
    private let service: WebService
    private let token: @Sendable () -> String

    init(_ service: WebService, token: @escaping @Sendable () -> String) {
      (self.service, self.token) = (service, token)
    }

    func send(_ request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
      Deferred { [service, token] in
        service.send(request.addingBearerAuthorization(token: token()))
      }
      .eraseToAnyPublisher()
    }
  }
  // end
}
