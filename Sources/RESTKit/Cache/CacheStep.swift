import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The step of a call that finds a stored response, or another call that asks for the same.
///
/// It sees each request as it was built, also after a redirect and after a refused token. So the effects of
/// a session, a retry policy and a log stay separate for each caller. Responses in pieces bypass it.
struct CacheStep: Sendable {
  private let cache: HTTPCache?
  private let wish: CacheWish?
  private let coalescer: RequestCoalescer?
  /// The user whose token the call's first request gets; nil if it is unknown.
  let asker: SignInSpan?
  /// The time limit of the first request and all its redirects.
  let timeLimit: Duration?

  init(
    _ cache: HTTPCache?, wish: CacheWish?, coalescer: RequestCoalescer?, asker: SignInSpan?,
    timeLimit: Duration?
  ) {
    self.cache = cache
    self.wish = wish
    self.coalescer = coalescer
    self.asker = asker
    self.timeLimit = timeLimit
  }

  /// Returns the response to a request, to be subscribed to once and at once.
  func response(for request: any RestOfWay) -> AnyPublisher<RESTResponse, any Error> {
    if let cache,
      let cached = CachedExchange(request, in: cache, wish: wish, coalescer: coalescer)
    {
      return cached.response
    }
    return coalescer?.response(for: request) ?? request.send()
  }

  /// Records the head of a response in pieces.
  func note(_ head: ResponseHead, inPiecesTo request: URLRequest) {
    cache?.note(head, inPiecesTo: request)
    coalescer?.note(head, inPiecesTo: request)
  }
}
