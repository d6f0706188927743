import Foundation
import HTTPWire
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that sends requests with Foundation's URLSession.
///
/// It is the default on Apple's systems.
///
/// On Linux it is for machines without libcurl 7.68 or later, and for apps that choose it. Some
/// faults of Foundation on Linux have no workaround: a server can abort the process with a chunked
/// trailer, with a `Content-Length` near 2⁶³ or with an unusual `Location`.
///
/// Values arrive on a dispatch queue that each call has for itself. A subscriber that blocks does
/// not delay another call, as long as fewer than 64 subscribers of the transport block. Foundation
/// cannot pause a transfer. Pieces that arrive meanwhile are kept, up to
/// ``TransportLimits/bodyBytes`` and 4 MiB; beyond that, the call fails.
public struct URLSessionTransport: Transport {
  public let limits: TransportLimits

  private let engine: any HTTPEngine

  /// The system's network, as for each `URLSessionTransport`.
  public var identity: TransportIdentity { .plain }

  /// - Parameters:
  ///   - limits: The limits on the size of a response.
  ///   - connectionsPerHost: The maximum number of connections to one host, at least 1. Further
  ///     calls wait, also the token request of a session. On Linux, more than 6 cause faults of
  ///     Foundation.
  public init(limits: TransportLimits = TransportLimits(), connectionsPerHost: Int = 6) {
    self.limits = limits
    var configuration = URLSessionEngineConfiguration()
    configuration.limits = limits
    configuration.maxConnectionsPerHost = max(1, connectionsPerHost)
    engine = URLSessionEngine(configuration: configuration)
  }

  public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    engine.response(for: request)
  }

  public func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    engine.events(for: request, body: body)
  }
}
