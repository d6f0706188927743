import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the way of a request needs after the request was built, for it and all its redirects.
struct ExchangePlan: Sendable {
  static let maximumHops = 10

  let way: Way
  /// The part of the call that counts and records the exchanges, if there is one.
  var part: CallPart?
  /// The instruments' work for the exchanges; nil without instruments.
  var instrumentation: ExchangeInstrumentation?
  /// The session whose token the requests get as they leave; nil for none.
  var binding: SessionBinding?
  /// The credential that is on the request already, because it was ready when the request was built.
  var token: IssuedCredential?
  /// The user whose token the first request gets, for a cache; nil if it is unknown.
  var asker: SignInSpan?
  /// The time limit of the first request and all its redirects, for a cache.
  var timeLimit: Duration?
  /// The limiter of requests to the origin of the first one, if there is one.
  var limiter: CallLimiter?
  /// The `Range` with which the request goes on from a place; nil if it does not.
  var resumedRange: String?
  /// The clock for the time that redirects take from a request's time-out.
  var now: @Sendable () -> ContinuousClock.Instant = { .now }

  init(way: Way, part: CallPart?) {
    self.way = way
    self.part = part
  }

  var transport: any Transport { way.transport }

  /// The step that may find a whole response elsewhere.
  var cache: CacheStep {
    CacheStep(
      way.cache, wish: way.cacheWish, coalescer: way.coalescer, asker: asker, timeLimit: timeLimit)
  }

  /// - Parameter visited: The requests that were redirected, first to last.
  func next(
    after response: RESTResponse, to request: URLRequest, visited: [RequestSummary]
  ) throws(RESTError) -> URLRequest? {
    guard let next = try way.rules.next(after: response, to: request) else { return nil }
    guard visited.count < Self.maximumHops else {
      throw RedirectRules.refusal(
        response, Self.account(of: visited + [RequestSummary(request)], to: RequestSummary(next)),
        remedy: "Report the redirects to the server's operators.")
    }
    part?.journal.record(
      .redirected(
        to: RequestSummary(next), droppedHeaders: request.headerNames(missingIn: next)))
    return next
  }

  /// Limits the time of a redirected request to the remaining time of the request before it.
  ///
  /// - Parameters:
  ///   - begin: The time at which that request was sent.
  ///   - response: The redirect.
  /// - Throws: `RESTError` of kind `transport(.timedOut)` if no time is left.
  func shortenTime(
    of next: inout URLRequest, since begin: ContinuousClock.Instant, after response: RESTResponse
  ) throws(RESTError) {
    guard next.timeLimit != nil else { return }
    let left = next.timeoutInterval - begin.duration(to: now()).timeInterval
    guard left > 0 else {
      let fault = TransportError.afterSending(
        .timedOut, "redirects took all of it", status: response.statusCode)
      throw RESTError(fault, request: response.request)
    }
    next.timeoutInterval = left
  }

  /// Returns a description of too many redirects, with the locations of a loop if there is one.
  ///
  /// A loop is only searched for at the limit: a server may redirect to the same location until its
  /// content is ready.
  private static func account(of visited: [RequestSummary], to next: RequestSummary) -> String {
    guard let start = visited.lastIndex(of: next) else {
      return "redirected more than \(maximumHops) times, last to \(next.location)"
    }
    let loop = (visited[start...] + [next]).map(\.location).joined(separator: " → ")
    return "redirected more than \(maximumHops) times, in a loop: \(loop)"
  }
}

/// The limiter of a call's requests.
struct CallLimiter: Sendable {
  let limiter: RateLimiter
  /// The origin that the limit is for.
  ///
  /// A redirect to another origin needs no turn.
  let origin: Origin?
  var deadline: CallDeadline?
}

extension URLRequest {
  /// Returns this request with further header fields.
  func adding(_ fields: [HTTPHeaders.Element]) -> URLRequest {
    guard !fields.isEmpty else { return self }
    var request = self
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  /// The names of headers that another request does not have, sorted.
  fileprivate func headerNames(missingIn other: URLRequest) -> [String] {
    (allHTTPHeaderFields ?? [:]).keys.filter { other.value(forHTTPHeaderField: $0) == nil }.sorted()
  }
}
