import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends a request and follows its redirects, the same on every transport.
///
/// The rules are those of RFC 9110 §15.4: 303 becomes a GET (a HEAD stays one), and so does a POST
/// on 301 and 302; 307 and 308, and other methods on 301 and 302, keep method and body. A target on
/// another origin (scheme, host, port) never gets `Authorization`, `Cookie` or
/// `Proxy-Authorization`; https is never left for http; the eleventh redirect is an error. A 3xx
/// without a `Location` is delivered as it is.
struct RedirectFollower: Sendable {
  static let maximumHops = 10
  static let secretHeaders = ["Authorization", "Cookie", "Proxy-Authorization"]

  let transport: any Transport

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    response(for: request, hops: 0)
  }

  private func response(
    for request: URLRequest, hops: Int
  ) -> AnyPublisher<RESTResponse, any Error> {
    transport.response(for: request)
      .tryMap { response in
        (response, try next(after: response, to: request, hops: hops))
      }
      .flatMap { response, next in
        guard let next else {
          return Just(response).setFailureType(to: (any Error).self).eraseToAnyPublisher()
        }
        return self.response(for: next, hops: hops + 1)
      }
      .eraseToAnyPublisher()
  }

  /// The request that a response redirects to; nil where it is to be delivered.
  private func next(
    after response: RESTResponse, to request: URLRequest, hops: Int
  ) throws(RESTError) -> URLRequest? {
    guard [301, 302, 303, 307, 308].contains(response.statusCode),
      let location = response.headers.values(for: "Location").first, let origin = request.url
    else { return nil }
    guard hops < Self.maximumHops else {
      throw refusal(
        response, "redirected more than \(Self.maximumHops) times",
        remedy: "Ask the server's people about a loop.")
    }
    guard let target = URL(string: location, relativeTo: origin)?.absoluteURL,
      let scheme = target.scheme?.lowercased(), scheme == "http" || scheme == "https",
      target.host?.isEmpty == false
    else {
      throw refusal(
        response, "redirected to what is not an http(s) URL",
        remedy: "Look at the Location header in the error's `response`.")
    }
    guard scheme == "https" || origin.scheme?.lowercased() == "http" else {
      throw refusal(
        response, "redirected from https to http, which would send the request in the clear",
        remedy: "Have the server redirect to https.")
    }
    return redirect(request, from: origin, to: target, status: response.statusCode)
  }

  private func redirect(
    _ request: URLRequest, from origin: URL, to target: URL, status: Int
  ) -> URLRequest {
    var next = request
    next.url = target
    let method = request.httpMethod ?? "GET"
    let becomesGet =
      status == 303 && method != "HEAD" || (status == 301 || status == 302) && method == "POST"
    if becomesGet {
      next.httpMethod = "GET"
      next.httpBody = nil
      for name in ["Content-Type", "Content-Encoding", "Content-Language"] {
        next.setValue(nil, forHTTPHeaderField: name)
      }
    }
    if Origin(origin) != Origin(target) {
      for name in Self.secretHeaders { next.setValue(nil, forHTTPHeaderField: name) }
    }
    return next
  }

  private func refusal(_ response: RESTResponse, _ reason: String, remedy: String) -> RESTError {
    RESTError(
      .redirect, reason: "the server \(reason)", remedy: remedy, response: response)
  }
}

/// Who a secret may be told to: scheme, host and port (RFC 6454 §4).
private struct Origin: Equatable {
  let scheme: String
  let host: String
  let port: Int

  init(_ url: URL) {
    scheme = url.scheme?.lowercased() ?? ""
    host = url.host?.lowercased() ?? ""
    port = url.port ?? (scheme == "https" ? 443 : 80)
  }
}
