import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The transport of every API that names no other: one for the process, so that connections are
/// shared.
///
/// On Linux it is a ``CurlTransport``, or, where libcurl cannot be opened, a
/// ``URLSessionTransport``, which it says once on standard error. Elsewhere it is a
/// ``URLSessionTransport``.
public struct SharedTransport: Transport {
  private static let engine = makeEngine()

  public init() {}

  public var limits: TransportLimits { Self.engine.limits }

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
        // The other way to write traps where the stream is closed, as a daemon's may be.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
      }
    #else
      return URLSessionTransport()
    #endif
  }

  /// The first choice, or URLSession where that cannot be had, said in the log.
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
  /// The transport of every API that names no other.
  public static var shared: SharedTransport { SharedTransport() }
}
