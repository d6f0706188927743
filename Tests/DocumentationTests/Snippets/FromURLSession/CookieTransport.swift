// Cookies, for those who need them: Docs/FromURLSession.md.
import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension FromURLSession {
  // snippet: cookies
  /// Keeps cookies, and sends them where they belong.
  struct CookieTransport: Transport {
    let transport: any Transport
    let storage: HTTPCookieStorage

    var limits: TransportLimits { transport.limits }
    var observer: CallObserver? { transport.observer }

    func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
      Deferred {
        transport.response(for: adding(to: request))
          .handleEvents(receiveOutput: { keep($0.head) })
      }
      .eraseToAnyPublisher()
    }

    func events(
      for request: URLRequest, body: RequestBody?
    ) -> AnyPublisher<TransferEvent, any Error> {
      Deferred {
        transport.events(for: adding(to: request), body: body)
          .handleEvents(receiveOutput: { if case .head(let head) = $0 { keep(head) } })
      }
      .eraseToAnyPublisher()
    }

    private func adding(to request: URLRequest) -> URLRequest {
      var request = request
      let cookies = request.url.flatMap { storage.cookies(for: $0) } ?? []
      for (name, value) in HTTPCookie.requestHeaderFields(with: cookies) {
        request.setValue(value, forHTTPHeaderField: name)
      }
      return request
    }

    private func keep(_ head: ResponseHead) {
      for line in head.headers.values(for: "Set-Cookie") {
        let cookies = HTTPCookie.cookies(
          withResponseHeaderFields: ["Set-Cookie": line], for: head.url)
        storage.setCookies(cookies, for: head.url, mainDocumentURL: nil)
      }
    }
  }
  // end
}
