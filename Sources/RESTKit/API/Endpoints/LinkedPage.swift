import Foundation
import Streams

/// A page of a resource whose responses link to the next page.
struct LinkedPage: Sendable {
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
  func pages(of draft: RequestDraft) -> AnyPublisher<RESTResponse, any Error> {
    let first = response(to: draft).map { response in
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
          return response(to: draft.at(next.url))
            .map { LinkedPage($0, after: next.trail) }.eraseToAnyPublisher()
        } catch {
          return Fail(error: error).eraseToAnyPublisher()
        }
      }
      .map(\.response)
      .eraseToAnyPublisher()
  }
}
