import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RESTAPI {
  /// Returns a publisher of the responses of a paged resource, page by page.
  ///
  /// A page is requested only when there is demand for it: `prefix(3)` sends three requests. The
  /// end comes right after the last page and needs no demand. The responses arrive on the
  /// transport's thread, in order. No page follows a failure.
  ///
  /// ```swift
  /// api.pages(from: Animals(page: 1)) { animals, response in
  ///   response.isLast ? nil : Animals(page: animals.page + 1)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - first: The endpoint of the first page.
  ///   - next: A closure that returns the endpoint of the page after a response, or nil after the
  ///     last. If it never returns nil, the publisher does not finish by itself.
  public func pages<Page: Endpoint>(
    from first: Page, next: @escaping @Sendable (Page, Page.Response) -> Page?
  ) -> AnyPublisher<Page.Response, any Error> {
    let fetch: @Sendable (Page) -> AnyPublisher<(page: Page, response: Page.Response), any Error> =
      {
        page in
        publisher(for: page).map { (page, $0) }.eraseToAnyPublisher()
      }
    return fetch(first)
      .expand { last in
        next(last.page, last.response).map(fetch) ?? Empty().eraseToAnyPublisher()
      }
      .map(\.response)
      .eraseToAnyPublisher()
  }
}

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
  /// request is the first request with the link's URL: the modifier runs, the API's session
  /// authorizes the request, and the API's retry policy applies to each page separately. A relative
  /// link is resolved against the URL that answered. The last page is one without such a link. A
  /// response whose status is not 200...299 is delivered and is also the last. The end comes right
  /// after the last page and needs no demand. The responses arrive on the transport's thread, in
  /// order.
  ///
  /// The publisher fails as a verb does. After a page it fails with ``RESTError`` of kind
  /// ``RESTError/Kind/pageLink`` if the link is not an http or https URL, leads to another origin
  /// than that of ``RESTAPI/baseURL``, or leads back to an earlier page. A circle of up to a
  /// hundred pages is detected at once, a longer one after three times as many pages at the latest.
  ///
  /// - Parameters:
  ///   - endpoint: The path of the first page below the base URL.
  ///   - query: Names and values of the first page's query, not encoded. A link has its own query.
  ///   - headers: The header fields of each request, for each attempt.
  ///   - authorization: Whether the requests carry the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: A closure that changes each request before each attempt. It sees the URL
  ///     of the page.
  public func pages(
    endpoint: String, query: QueryItems = [], headers: HTTPHeaders = [:],
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    RequestSender(for: self).pages(
      of: RequestDraft(
        .get, of: RequestBase(self), endpoint: endpoint, query: query, headers: headers, body: nil,
        authorization: authorization, requestModifier: requestModifier))
  }

  /// Returns a publisher of the responses of an endpoint that is paged by links.
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
  /// stay the same. The publisher also fails with the errors of the endpoint's
  /// ``Endpoint/answer(_:)``.
  ///
  /// - Parameters:
  ///   - first: The endpoint of the first page.
  ///   - requestModifier: A closure that changes each request before each attempt. It sees the URL
  ///     of the page.
  public func pages<Page: Endpoint>(
    from first: Page, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<Page.Response, any Error> {
    let draft = RequestDraft(first, of: RequestBase(self), requestModifier: requestModifier)
    return RequestSender(for: self).pages(of: draft, retry: first.retry)
      .tryMap { try first.answer($0) }
      .eraseToAnyPublisher()
  }
}

/// A page of a resource whose responses link to the next page.
private struct LinkedPage: Sendable {
  let response: RESTResponse
  private let trail: PageTrail

  /// - Parameter trail: The URLs of the pages before this one.
  init(_ response: RESTResponse, after trail: PageTrail) {
    self.response = response
    self.trail = trail
  }

  /// Returns the URL of the next page, and the trail to it; nil after the last page.
  ///
  /// - Parameter baseURL: The base URL of the API. No page may leave its origin.
  /// - Throws: `RESTError` of kind `pageLink` if the link must not be followed.
  func next(ofAPIAt baseURL: String) throws(RESTError) -> (url: URL, trail: PageTrail)? {
    guard response.isSuccess, let link = response.link("next") else { return nil }
    guard let url = link.url(relativeTo: response.url), url.user == nil, url.password == nil else {
      throw refusal(
        "is not an http(s) URL without user info",
        remedy: "Look at the Link header in the error's `response`.")
    }
    guard let api = URL(string: baseURL), Origin(api) == Origin(url) else {
      throw refusal(
        "leads to another origin, \(RequestSummary(method: .get, url: url).location)",
        remedy: "Use the base URL that the server uses in its links, or call that URL directly.")
    }
    var trail = trail
    guard trail.visit(url) else {
      throw refusal(
        "leads back to an earlier page, \(RequestSummary(method: .get, url: url).location)",
        remedy: "Have the server leave the link out of its last page.")
    }
    return (url, trail)
  }

  private func refusal(_ reason: String, remedy: String) -> RESTError {
    response.recording(
      RESTError(
        .pageLink, reason: "the link to the next page \(reason)", remedy: remedy,
        response: response))
  }
}

extension RequestSender {
  /// Delivers the responses of a resource page by page, following the link to the next page.
  ///
  /// - Parameter retry: The policy that decides when a request is sent again; nil for the API's.
  func pages(
    of draft: RequestDraft, retry: RetryPolicy? = nil
  ) -> AnyPublisher<RESTResponse, any Error> {
    let first = response(to: draft, retry: retry).map { response in
      var trail = PageTrail()
      _ = trail.visit(response.url)
      return LinkedPage(response, after: trail)
    }
    return first.eraseToAnyPublisher()
      .expand { page -> AnyPublisher<LinkedPage, any Error> in
        do throws(RESTError) {
          guard let next = try page.next(ofAPIAt: baseURL) else {
            return Empty().eraseToAnyPublisher()
          }
          return response(to: draft.at(next.url), retry: retry)
            .map { LinkedPage($0, after: next.trail) }.eraseToAnyPublisher()
        } catch {
          return Fail(error: error).eraseToAnyPublisher()
        }
      }
      .map(\.response)
      .eraseToAnyPublisher()
  }
}

/// The visited pages of a chain, to detect a circle.
///
/// Its size does not grow with the chain. It detects a circle of up to ``memory`` pages at the
/// first repeated page. A mark, which moves further ahead each time (Brent's method), detects a
/// longer circle after three times as many pages at the latest.
struct PageTrail: Sendable {
  static let memory = 100

  private var recent: [Substring] = []
  private var mark: Substring?
  private var count = 0
  private var nextMark = 1

  /// Records a page.
  ///
  /// - Returns: Whether the page is new, as far as the trail knows.
  mutating func visit(_ page: URL) -> Bool {
    let page = page.withoutFragment
    guard page != mark, !recent.contains(page) else { return false }
    if recent.count == Self.memory { recent.removeFirst() }
    recent.append(page)
    count += 1
    if count == nextMark {
      mark = page
      nextMark *= 2
    }
    return true
  }
}
