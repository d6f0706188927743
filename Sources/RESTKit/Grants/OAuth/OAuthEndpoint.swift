import Foundation
import Streams

/// An endpoint of an authorization server: a URL that may have a query (RFC 6749 §3.2).
struct OAuthEndpoint: RESTAPI {
  let baseURL: String
  let transport: any Transport
  private let query: QueryItems

  /// - Parameter text: The URL. If it is invalid, the requests fail.
  init(_ text: String, transport: any Transport) {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    baseURL = parts.first.map(String.init) ?? text
    self.transport = transport
    query = QueryItems(parts.dropFirst().first.map([URLQueryItem].pairs) ?? [])
  }

  /// Posts a form and accepts JSON.
  func post(
    _ fields: [URLQueryItem], modifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    post(endpoint: "", query: query, body: .form(QueryItems(fields))) {
      modifier($0.acceptingJSON())
    }
    .context(RedirectBound.Key.self, .place)
    .eraseToAnyPublisher()
  }
}

extension [URLQueryItem] {
  /// Returns the pairs of an encoded query, in order.
  ///
  /// A pair without `=` has no value.
  static func pairs(of query: Substring) -> Self {
    query.split(separator: "&").map { pair in
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { half in
          let text = half.replacingOccurrences(of: "+", with: " ")
          return text.removingPercentEncoding ?? text
        }
      return URLQueryItem(name: halves[0], value: halves.dropFirst().first)
    }
  }
}
