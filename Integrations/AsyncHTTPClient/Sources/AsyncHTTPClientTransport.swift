import AsyncHTTPClient
import Dispatch
import Foundation
import NIOCore
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests with AsyncHTTPClient, for services that are built on SwiftNIO.
///
/// ```swift
/// let transport = AsyncHTTPClientTransport(eventLoopGroup: app.eventLoopGroup)
/// let api = OrdersAPI(transport: transport)
/// ```
///
/// Connections are kept alive and shared by all calls of one transport, so keep one and give it to
/// all who need it. Bodies go bit by bit both ways, as they are asked for. Dropping the transport,
/// once its calls have ended, closes its connections. Nothing is repeated on a connection that turns
/// out dead.
///
/// Values arrive on a dispatch queue that each subscription has for itself: a subscriber that blocks, for
/// long or for good, delays no other call, as long as fewer than some 250 do.
public struct AsyncHTTPClientTransport: Transport {
  public let limits: TransportLimits

  private let owner: ClientOwner

  public var identity: ObjectIdentifier { ObjectIdentifier(owner) }

  /// - Parameters:
  ///   - limits: What a response may cost. SwiftNIO has a limit of its own of 80 KiB on a header
  ///     line; the lines are counted when all of them are there.
  ///   - eventLoopGroup: What runs the connections; it has to outlive the transport's calls.
  ///   - configuration: TLS, proxy, connection pool and connect time-out. What a transport may not do
  ///     is switched off in it: redirects, and failed connections that are tried again till the time
  ///     is over. Decompression is RESTKit's own.
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
