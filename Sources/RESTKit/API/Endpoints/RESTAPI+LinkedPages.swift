import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RESTAPI {
  /// Returns a publisher of the responses of a resource that is paged by links.
  ///
  /// Each response has the URL of the next page in its header, `Link: <…>; rel="next"` (RFC 8288).
  ///
  /// ```swift
  /// api.pages(endpoint: "orders", query: ["per_page": "100"])
  ///   .decode(type: [Order].self)
  /// ```
  ///
  /// A page is requested only when there is demand for it: `prefix(3)` sends three requests. Each
  /// request is the first request with the link's URL: the modifier runs, the API's session authorizes
  /// the request, and the API's retry policy applies to each page separately. A relative link is
  /// resolved against the URL that answered. The last page is one without such a link. A response whose
  /// status is not 200...299 is delivered and is also the last. The responses arrive on the transport's
  /// thread, in order.
  ///
  /// The publisher fails as a verb does. After a page it fails with ``RESTError`` of kind
  /// ``RESTError/Kind/pageLink`` if the link is not an http or https URL, leads to another origin than
  /// that of ``RESTAPI/baseURL``, or leads back to an earlier page. A circle of up to a hundred pages
  /// is detected at once, a longer one after three times as many pages at the latest.
  ///
  /// - Parameters:
  ///   - endpoint: The path of the first page below the base URL.
  ///   - query: Names and values of the first page's query, not encoded. A link has its own query.
  ///   - headers: The header fields of each request, for each attempt.
  ///   - authorization: Whether the requests carry the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: A closure that changes each request before each attempt. It sees the URL of
  ///     the page.
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

  /// Returns a publisher of the answers of an endpoint that is paged by links.
  ///
  /// It follows them as ``pages(endpoint:query:headers:authorization:requestModifier:)`` does.
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
  /// Each request is the endpoint's request with the link's URL. The method, header fields and body
  /// stay the same. The publisher also fails with the errors of the endpoint's ``Endpoint/answer(_:)``.
  ///
  /// - Parameters:
  ///   - first: The endpoint of the first page.
  ///   - requestModifier: A closure that changes each request before each attempt. It sees the URL of
  ///     the page.
  public func pages<Page: Endpoint>(
    from first: Page, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<Page.Response, any Error> {
    let draft = RequestDraft(first, baseURL: baseURL, requestModifier: requestModifier)
    return RequestSender(for: self).pages(of: draft)
      .tryMap { try first.answer($0) }
      .eraseToAnyPublisher()
  }
}
