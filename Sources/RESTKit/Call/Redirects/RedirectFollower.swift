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
  /// What measures the time that redirects take of a request's.
  var now: @Sendable () -> ContinuousClock.Instant = { .now }

  /// The response, to be subscribed at once, and once: the call counts the request now.
  ///
  /// The request's time-out is for all of it: a redirect gets what is left.
  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Relay(ResponseHop(of: request, after: [], follower: self).send()).eraseToAnyPublisher()
  }

  /// The exchange in pieces; of a redirect nothing is told but what was sent.
  ///
  /// Its time-out is for each silence, and so for each hop.
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
  fileprivate func next(
    after response: RESTResponse, to request: URLRequest, visited: [RequestSummary]
  ) throws(RESTError) -> URLRequest? {
    guard let next = try rules.next(after: response, to: request) else { return nil }
    guard visited.count < Self.maximumHops else {
      throw RedirectRules.refusal(
        response, Self.account(of: visited + [RequestSummary(request)], to: RequestSummary(next)),
        remedy: "Ask the server's people about it.")
    }
    call?.journal.record(
      .redirected(
        to: RequestSummary(next), droppedHeaders: request.headerNames(missingIn: next)))
    return next
  }

  /// Leaves a request that a redirect led to the time that the one before it has left.
  ///
  /// - Parameters:
  ///   - begin: When that one was sent.
  ///   - response: The redirect.
  /// - Throws: `RESTError` of kind `transport(.timedOut)` where there is none left.
  fileprivate func shortenTime(
    of next: inout URLRequest, since begin: ContinuousClock.Instant, after response: RESTResponse
  ) throws(RESTError) {
    guard EngineRequest.timeout(seconds: next.timeoutInterval) != nil else { return }
    let left = next.timeoutInterval - begin.duration(to: now()).timeInterval
    guard left > 0 else {
      let fault = TransportError(
        kind: .timedOut, detail: "redirects took all of it", mayHaveBeenProcessed: true,
        statusCode: response.statusCode)
      throw RESTError(fault, request: response.request)
    }
    next.timeoutInterval = left
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

/// One request on the way to a response.
private final class ResponseHop: RelayRule {
  private let request: URLRequest
  private let visited: [RequestSummary]
  private let follower: RedirectFollower
  private let begin: ContinuousClock.Instant

  /// - Parameter visited: The requests that were redirected, first to last.
  init(of request: URLRequest, after visited: [RequestSummary], follower: RedirectFollower) {
    self.request = request
    self.visited = visited
    self.follower = follower
    begin = follower.now()
  }

  /// Counts the request, and says who brings its response.
  func send() -> RelayLeg<ResponseHop> {
    let isRedirected = !visited.isEmpty
    follower.call?.beginExchange(
      SentRequest(request, body: nil), isRedirected: isRedirected)
    let response = follower.transport.response(for: request)
    guard isRedirected else { return RelayLeg(response, rule: self) }
    return RelayLeg(
      response.context(CallOrigin.Key.self, .redirect).eraseToAnyPublisher(), rule: self)
  }

  func successor(of response: inout RESTResponse) throws -> RelayLeg<ResponseHop>? {
    if let call = follower.call {
      call.journal.record(.received(status: response.statusCode, metrics: response.metrics))
      response = response.belonging(to: call.journal)
    }
    guard var next = try follower.next(after: response, to: request, visited: visited) else {
      return nil
    }
    try follower.shortenTime(of: &next, since: begin, after: response)
    return ResponseHop(
      of: next, after: visited + [RequestSummary(request)], follower: follower
    ).send()
  }

  func successor(
    after end: Subscribers.Completion<any Error>
  ) throws -> RelayLeg<ResponseHop>? {
    if case .failure(let error) = end, let call = follower.call {
      throw error.recorded(in: call.journal)
    }
    return nil
  }
}

/// Ends an exchange whose response is not the last, so that the next one can follow.
private struct Redirected: Error {
  let request: URLRequest
  /// Whether the next one is without the body.
  let losesBody: Bool
}

extension URLRequest {
  /// The names of headers that another request does not have, sorted.
  fileprivate func headerNames(missingIn other: URLRequest) -> [String] {
    (allHTTPHeaderFields ?? [:]).keys.filter { other.value(forHTTPHeaderField: $0) == nil }.sorted()
  }
}
