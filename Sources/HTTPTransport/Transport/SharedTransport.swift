import Foundation
import HTTPWire
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The transport of every API that does not set one.
///
/// The process has one, so that APIs share connections.
///
/// On Linux it is a ``CurlTransport``. If libcurl cannot be loaded, it is a
/// ``URLSessionTransport``, and one message on standard error says so. On other systems it is a
/// ``URLSessionTransport``.
public struct SharedTransport: Transport {
  private static let engine = makeEngine()

  public init() {}

  public var limits: TransportLimits { Self.engine.limits }

  public var identity: TransportIdentity { Self.engine.identity }

  public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Self.engine.response(for: request)
  }

  public func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    Self.engine.events(for: request, body: body)
  }

  private static func makeEngine() -> any Transport {
    #if os(Linux)
      return makeEngine(opening: { () throws(TransportError) in try CurlTransport() }) { text in
        // The non-throwing method traps if the stream is closed, as it may be in a daemon.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
      }
    #else
      return URLSessionTransport()
    #endif
  }

  /// Makes the preferred transport, or logs the reason and makes a URLSession one if that fails.
  static func makeEngine(
    opening firstChoice: () throws(TransportError) -> any Transport, log: (String) -> Void
  ) -> any Transport {
    do throws(TransportError) {
      return try firstChoice()
    } catch {
      log("RESTKit uses URLSession instead of libcurl: \(error)\n")
      return URLSessionTransport()
    }
  }
}

extension Transport where Self == SharedTransport {
  /// The transport of every API that does not set one.
  public static var shared: SharedTransport { SharedTransport() }
}
