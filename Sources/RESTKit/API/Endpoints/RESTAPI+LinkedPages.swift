import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RESTAPI {
  /// The answers of a resource that is paged by links: each has the URL of the next page in its header,
  /// `Link: <…>; rel="next"` (RFC 8288).
  ///
  /// ```swift
  /// api.pages(endpoint: "orders", query: ["per_page": "100"])
  ///   .decode(type: [Order].self)
  /// ```
  ///
  /// A page is asked for when there is demand for it, and not before: `prefix(3)` sends three requests.
  /// Each request is the first one with the link's URL: the modifier runs, the API's session authorizes
  /// it, and the API's retry policy holds for it by itself. A relative link is resolved against the URL
  /// that answered. The last page is one without such a link; an answer whose status is not 200...299 is
  /// delivered and is the last one, too. Each answer comes on the transport's thread, in order.
  ///
  /// Fails as a verb does, and behind a page with ``RESTError`` of kind ``RESTError/Kind/pageLink`` where
  /// its link is no http or https URL, leads to another origin than that of ``RESTAPI/baseURL``, or leads
  /// back to a page that was there. A circle of up to a hundred pages is seen at once, a longer one at the
  /// latest after three times as many.
  ///
  /// - Parameters:
  ///   - endpoint: The path of the first page below the base URL.
  ///   - query: Names and values of the first page, not encoded; a link brings its own.
  ///   - headers: Header fields of each request, for each attempt.
  ///   - authorization: Whether the requests carry the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: Changes each request before it is sent, for each attempt; it sees its URL.
  public func pages(
    endpoint: String, query: QueryItems = [], headers: HTTPHeaders = [:],
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    RequestSender(for: self).pages(
      of: RequestDraft(
        .get, baseURL: baseURL, endpoint: endpoint, query: query, headers: headers, body: nil,
        authorization: authorization, requestModifier: requestModifier))
  }

  /// The answers of an endpoint that is paged by links, as
  /// ``pages(endpoint:query:headers:authorization:requestModifier:)`` follows them.
  ///
  /// ```swift
  /// struct Orders: Endpoint {
  ///   typealias Response = [Order]
  ///   let path: ResourcePath = "orders"
  /// }
  ///
  /// api.pages(from: Orders())
  /// ```
  ///
  /// Each request is the endpoint's with the link's URL: method, headers and body stay. It fails with what
  /// the endpoint's ``Endpoint/answer(_:)`` throws, too.
  ///
  /// - Parameters:
  ///   - first: The endpoint of the first page.
  ///   - requestModifier: Changes each request before it is sent, for each attempt; it sees its URL.
  public func pages<Page: Endpoint>(
    from first: Page, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<Page.Response, any Error> {
    let draft = RequestDraft(first, baseURL: baseURL, requestModifier: requestModifier)
    return RequestSender(for: self).pages(of: draft)
      .tryMap { try first.answer($0) }
      .eraseToAnyPublisher()
  }
}
