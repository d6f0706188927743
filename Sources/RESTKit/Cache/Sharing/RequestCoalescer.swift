import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Makes one exchange of those that are asked for at the same time and would be the same.
///
/// Who has one shares it: the calls of an API that has it as its ``RESTAPI/coalescer``, and those that are
/// given it by ``Streams/Publisher/coalesced(in:)``. Keep one for as long as its callers may meet; several
/// APIs may have the same.
///
/// ```swift
/// struct ShopAPI: RESTAPI {
///   let baseURL = "https://api.example.com/v1"
///   let coalescer = RequestCoalescer()
/// }
/// ```
///
/// Two requests are the same if they are GET, or HEAD, without a body and have the same URL, header fields,
/// time-out and transport, and who asks is the same: a call under a ``TokenSession`` shares with calls of
/// its ``TokenSession/Identity`` only, whatever is on the request. Each redirect and each repetition is such
/// a request, too. The transport must be the same one, by its ``Transport/identity``.
///
/// Who asks after a change joins nothing that was under way before it: a request of another method that succeeds
/// through the same coalescer ends the sharing of its URL's exchanges, and of those in its `Location` and
/// `Content-Location`.
///
/// Nothing is kept: who asks after the answer came begins a new exchange. What comes in pieces is not
/// shared: `events`, live streams, downloads and uploads.
///
/// It may be used on any thread.
public final class RequestCoalescer: Sendable {
  private let exchanges = SharedExchanges()
  let ignoredFields: Set<String>

  /// - Parameter fields: The names of header fields that tell only of the call, such as `traceparent` or
  ///   `X-Request-ID`, however they are spelled. Requests that differ in nothing else are the same, and
  ///   the server sees those of the first caller. None unless said otherwise.
  public init(ignoring fields: Set<String> = []) {
    ignoredFields = Set(fields.map { $0.lowercased() })
  }
}

extension RequestCoalescer {
  /// In the context of a verb: what its calls share, in the place of its API's.
  @usableFromInline enum Key: SubscriptionContextKey {
    @usableFromInline static var defaultValue: RequestCoalescer? { nil }
  }
}

extension RequestCoalescer: ExchangeSeat {
  func response(for exchange: any SeatedExchange) -> AnyPublisher<RESTResponse, any Error> {
    guard let key = SharedRequestKey(exchange, ignoring: ignoredFields) else {
      let request = exchange.request
      return exchange.send().handleEvents(receiveOutput: { [self] response in
        retire(Invalidation.targets(of: CacheRequest(request), answeredBy: response.head))
      }).eraseToAnyPublisher()
    }
    return exchanges.response(
      for: key, patience: exchange.patience, work: PlainExchange(exchange: exchange))
  }

  func note(
    _ head: ResponseHead, inPiecesTo request: URLRequest, askedBy asker: RequestAsker?,
    secretHeaders: [String]
  ) {
    retire(Invalidation.targets(of: CacheRequest(request), answeredBy: head))
  }

  private struct PlainExchange: SharedWork {
    let exchange: any SeatedExchange

    func join() { exchange.join() }

    func begin() -> AnyPublisher<RESTResponse, any Error> { exchange.send() }
  }

  /// Lets nobody join what was under way before a change.
  func retire(_ targets: [String]) {
    guard !targets.isEmpty else { return }
    exchanges.retire { $0.asks(for: targets) }
  }
}
