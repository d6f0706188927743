import AsyncHTTPClient
import Dispatch
import Foundation
import NIOCore
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that sends requests with AsyncHTTPClient, for services that are built on SwiftNIO.
///
/// ```swift
/// let transport = AsyncHTTPClientTransport(eventLoopGroup: app.eventLoopGroup)
/// let api = OrdersAPI(transport: transport)
/// ```
///
/// All calls of a transport share its connections, which are kept alive. Create one transport and
/// use it everywhere. Bodies are streamed in both directions, on demand. Releasing the transport
/// closes its connections after its calls have ended. If a connection turns out to be dead, the
/// request is not repeated.
///
/// Each subscription has its own dispatch queue for its values. A subscriber that blocks delays no
/// other call, as long as fewer than about 250 subscribers block.
public struct AsyncHTTPClientTransport: Transport {
  public let limits: TransportLimits

  /// An identity of its own, which copies have, too.
  public let identity = TransportIdentity()

  private let owner: ClientOwner

  /// - Parameters:
  ///   - limits: The limits on a response. SwiftNIO limits a header line to 80 KiB itself. The
  ///     lines are counted when all of them have arrived.
  ///   - eventLoopGroup: The event loops of the connections. It must outlive the transport's calls.
  ///   - configuration: The configuration of TLS, proxy, connection pool and connect timeout. Some
  ///     of its features are turned off: redirects, repeated attempts to connect, and
  ///     decompression, which RESTKit does itself.
  public init(
    limits: TransportLimits = TransportLimits(),
    eventLoopGroup: any EventLoopGroup = HTTPClient.defaultEventLoopGroup,
    configuration: HTTPClient.Configuration = HTTPClient.Configuration()
  ) {
    self.limits = limits
    owner = ClientOwner(eventLoopGroup: eventLoopGroup, configuration: configuration)
  }

  public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    let whole = Single { [owner, limits] () async throws(any Error) -> RESTResponse in
      try await ClientExchange(owner, request, body: nil, limits: limits, isCollected: true)
        .response()
    }
    return Deferred { whole.receive(on: DispatchQueue.delivery()) }
      .eraseToAnyPublisher()
  }

  public func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    ExchangeEvents(
      exchange: ClientExchange(owner, request, body: body, limits: limits, isCollected: false)
    )
    .eraseToAnyPublisher()
  }
}
