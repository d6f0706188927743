import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A coalescer, which makes one exchange from identical requests at the same time.
///
/// It applies to the calls of an API with the coalescer as its ``RESTAPI/coalescer``, and to calls
/// with ``Streams/Publisher/coalesced(in:)``. Keep one as long as its callers may coincide. Several
/// APIs may share it.
///
/// ```swift
/// struct ShopAPI: RESTAPI {
///   let baseURL = "https://api.example.com/v1"
///   let coalescer = RequestCoalescer()
/// }
/// ```
///
/// Two requests are identical if they are both GET or both HEAD, have no body, and have the same
/// URL, header fields, time-out, transport with its limits and principal, byte by byte. A call
/// under a ``TokenSession`` shares only with calls of the same ``TokenSession/Identity``, even if
/// the header fields are the same. Each redirect and each repetition is such a request, too. The
/// transport must be the same, by its ``Transport/identity``.
///
/// In an API that has an ``HTTPCache`` as well, a response that the server keeps from others is not
/// shared: after `no-store`, `no-cache`, `Vary: *`, or a `Set-Cookie` in a response that is not
/// stored, each call that waited sends its own request. ``Streams/Publisher/coalesced(in:)`` shares
/// every response.
///
/// A call after a change does not join an exchange that began before it: if a request with another
/// method succeeds through the same coalescer, later callers do not join the running exchanges of
/// its URL, or of the URLs in its `Location` and `Content-Location`.
///
/// Nothing is stored: a call after the response begins a new exchange. Exchanges in pieces are not
/// shared: `events`, live streams, downloads and uploads.
///
/// It is safe to use from any thread.
public final class RequestCoalescer: Sendable {
  private let exchanges: SharedExchanges
  let ignoredFields: Set<String>

  /// - Parameter fields: The names of header fields that describe only the call, such as
  ///   `traceparent` or `X-Request-ID`, in any case. Requests that differ only in them are
  ///   identical, and the server receives those of the first caller. A field that can carry a
  ///   credential always makes a difference. The default is none.
  public init(ignoring fields: Set<String> = []) {
    exchanges = SharedExchanges()
    ignoredFields = Set(fields.map { $0.lowercased() })
  }

  /// - Parameter threads: The threads for callers behind those that block.
  package init(threads: DeliveryThreads) {
    exchanges = SharedExchanges(threads: threads)
    ignoredFields = []
  }
}

extension RequestCoalescer {
  /// Returns the response to a request, by an exchange that identical requests share.
  func response(for exchange: any RestOfWay) -> AnyPublisher<RESTResponse, any Error> {
    guard let key = SharedRequestKey(exchange, ignoring: ignoredFields) else {
      let request = exchange.request
      return exchange.send().handleEvents(receiveOutput: { [self] response in
        retire(Invalidation.targets(of: CacheRequest(request), answeredBy: response.head))
      }).eraseToAnyPublisher()
    }
    return exchanges.response(
      for: key, patience: exchange.patience, work: PlainExchange(exchange: exchange))
  }

  /// Records the head of a response in pieces, which is never shared.
  func note(_ head: ResponseHead, inPiecesTo request: URLRequest) {
    retire(Invalidation.targets(of: CacheRequest(request), answeredBy: head))
  }

  private struct PlainExchange: SharedWork {
    let exchange: any RestOfWay

    func join() { exchange.join() }

    func begin() -> AnyPublisher<RESTResponse, any Error> { exchange.send(isShared: true) }
  }

  /// Prevents later calls from joining exchanges that began before a change.
  func retire(_ targets: [String]) {
    guard !targets.isEmpty else { return }
    exchanges.retire(targets)
  }
}
