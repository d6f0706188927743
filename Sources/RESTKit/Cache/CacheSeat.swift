import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A cache between a call and its transport, with the settings of the call's pipeline and perhaps a
/// coalescer.
final class CacheSeat: ExchangeSeat {
  private let cache: HTTPCache
  private let wish: CacheWish?
  private let coalescer: RequestCoalescer?

  init(_ cache: HTTPCache, wish: CacheWish?, coalescer: RequestCoalescer?) {
    self.cache = cache
    self.wish = wish
    self.coalescer = coalescer
  }

  var departureDate: Date? { cache.now }

  func response(for exchange: any SeatedExchange) -> AnyPublisher<RESTResponse, any Error> {
    cache.response(for: exchange, wish: wish, coalescer: coalescer)
  }

  func note(
    _ head: ResponseHead, inPiecesTo request: URLRequest, askedBy asker: RequestAsker?,
    secretHeaders: [String]
  ) {
    cache.note(
      head, inPiecesTo: request, askedBy: asker, secretHeaders: secretHeaders)
    coalescer?.note(
      head, inPiecesTo: request, askedBy: asker, secretHeaders: secretHeaders)
  }
}
