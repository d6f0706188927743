import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends a request and follows its redirects, the same on every transport, ten at most.
struct RedirectFollower: Sendable {
  static let maximumHops = 10

  let transport: any Transport
  let rules: RedirectRules
  /// What the exchanges are counted and recorded in, if anything.
  var call: LogicalCall?

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    response(for: request, after: [])
  }

  /// The exchange in pieces; of a redirect nothing is told but what was sent.
  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    events(for: request, body: body, after: [])
  }

  private func events(
    for request: URLRequest, body: RequestBody?, after visited: [RequestSummary]
  ) -> AnyPublisher<TransferEvent, any Error> {
    transport.events(for: request, body: body, in: call, isRedirected: !visited.isEmpty)
      .tryMap { event in
        guard case .head(let head) = event else { return event }
        let response = RESTResponse(head: head, data: Data(), request: RequestSummary(request))
        if let next = try next(after: response, to: request, visited: visited) {
          // The failure cancels the rest: a redirect's body is of no use.
          throw Redirected(
            request: next,
            losesBody: RedirectRules.becomesGet(request, status: head.statusCode))
        }
        return event
      }
      .tryCatch { error in
        guard let redirected = error as? Redirected else { throw error }
        return self.events(
          for: redirected.request, body: redirected.losesBody ? nil : body,
          after: visited + [RequestSummary(request)])
      }
      .eraseToAnyPublisher()
  }

  /// - Parameter visited: The requests that were redirected, first to last.
  private func response(
    for request: URLRequest, after visited: [RequestSummary]
  ) -> AnyPublisher<RESTResponse, any Error> {
    transport.response(for: request, in: call, isRedirected: !visited.isEmpty)
      .tryMap { response in
        if let next = try next(after: response, to: request, visited: visited) {
          throw Redirected(request: next)
        }
        return response
      }
      .tryCatch { error in
        guard let redirected = error as? Redirected else { throw error }
        return self.response(for: redirected.request, after: visited + [RequestSummary(request)])
          .context(CallOrigin.Key.self, .redirect).eraseToAnyPublisher()
      }
      .eraseToAnyPublisher()
  }

  private func next(
    after response: RESTResponse, to request: URLRequest, visited: [RequestSummary]
  ) throws(RESTError) -> URLRequest? {
    guard let next = try rules.next(after: response, to: request) else { return nil }
    guard visited.count < Self.maximumHops else {
      throw RedirectRules.refusal(
        response, Self.account(of: visited + [RequestSummary(request)], to: RequestSummary(next)),
        remedy: "Ask the server's people about it.")
    }
    call?.record(
      .redirected(
        to: RequestSummary(next), droppedHeaders: request.headerNames(missingIn: next)))
    return next
  }

  /// Says whether so many redirects go round in a loop, and of which places.
  ///
  /// A loop is looked for at the limit only: a server may redirect to the same place until what it
  /// prepares is there.
  private static func account(of visited: [RequestSummary], to next: RequestSummary) -> String {
    guard let start = visited.lastIndex(of: next) else {
      return "redirected more than \(maximumHops) times, last to \(next.location)"
    }
    let loop = (visited[start...] + [next]).map(\.location).joined(separator: " → ")
    return "redirected more than \(maximumHops) times, in a loop: \(loop)"
  }
}

/// Ends an exchange whose response is not the last, so that the next one can follow.
private struct Redirected: Error {
  let request: URLRequest
  /// Whether the next one is without the body.
  var losesBody = false
}

extension URLRequest {
  /// The names of headers that another request does not have, sorted.
  fileprivate func headerNames(missingIn other: URLRequest) -> [String] {
    (allHTTPHeaderFields ?? [:]).keys.filter { other.value(forHTTPHeaderField: $0) == nil }.sorted()
  }
}
