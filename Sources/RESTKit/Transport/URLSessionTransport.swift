import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests with Foundation's URLSession: the default on Apple's systems.
///
/// On Linux it is there for machines without libcurl 7.68 or later and for who asks for it. Some
/// faults of Foundation's there cannot be worked around: a server can abort the process with a
/// chunked trailer, with a `Content-Length` near 2⁶³ or with an odd `Location`.
///
/// Values arrive on a dispatch queue that each call has for itself. A subscriber that blocks, for long
/// or for good, delays no other call, as long as fewer than 64 of the transport do. Foundation cannot
/// pause: what comes in pieces meanwhile is kept, up to ``TransportLimits/bodyBytes`` and 4 MiB, and
/// past that the call fails.
public struct URLSessionTransport: Transport {
  public let limits: TransportLimits

  private let engine: any HTTPEngine

  public var identity: ObjectIdentifier { ObjectIdentifier(engine) }

  /// - Parameter limits: What a response may cost.
  public init(limits: TransportLimits = TransportLimits()) {
    self.limits = limits
    var configuration = URLSessionEngineConfiguration()
    configuration.limits = limits
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
