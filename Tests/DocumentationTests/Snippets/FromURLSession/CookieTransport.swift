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
    /// The host of the service: a redirect to another host comes here, too.
    let host: String

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
      guard let url = request.url, url.host() == host else { return request }
      var request = request
      let cookies = storage.cookies(for: url) ?? []
      for (name, value) in HTTPCookie.requestHeaderFields(with: cookies) {
        request.setValue(value, forHTTPHeaderField: name)
      }
      return request
    }

    private func keep(_ head: ResponseHead) {
      guard head.url.host() == host else { return }
      for line in head.headers.values(for: "Set-Cookie") {
        let cookies = HTTPCookie.cookies(
          withResponseHeaderFields: ["Set-Cookie": line], for: head.url)
        storage.setCookies(cookies, for: head.url, mainDocumentURL: nil)
      }
    }
  }
  // end
}
